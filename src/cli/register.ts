/** `npm run register`: explains the providers of the chat platform, creates or updates the agent there with `--apply`, checks the public URL. */
import { KnowledgeError } from '../errors.ts';
import { shownJson, shownLine } from '../language/invisible.ts';
import { chooseSome, createCommand, exitCodes, parseCommandConfig, UsageError } from './command.ts';
import {
  buttonsOf,
  createPlatformAgents,
  defaultQuestion,
  type EntryForm,
  findOwn,
  hasAll,
  toCreate,
  toUpdate,
} from './platform-agents.ts';
import {
  type ChatCheck,
  checkChats,
  findServedAgents,
  findSuggestions,
  groupAgent,
  isOpenToWrite,
  keyCommand,
  providers,
  type ServedAgents,
} from './register-check.ts';
import {
  choiceText,
  chosenNamespace,
  isLocal,
  isPlainHttp,
  type RegisterSetup,
  readKey,
  readSetup,
  registerOptions,
} from './register-setup.ts';
import { print, printJson, warn } from './terminal.ts';

const help = `Attach the agent to the chat platform. Without --provider, explain the choice.

  npm run register
  npm run register -- --provider ag-ui [--show-secrets]
  npm run register -- --provider mastra --app-id ID --region us --icon URL [--direct] [--apply]

      --provider NAME       ag-ui: print the values to paste into the dashboard; the platform sends a key
                            mastra: create or update the entry on the platform; the platform sends no key
      --url URL             public URL of this server (default: PUBLIC_URL)
      --namespace NAME      namespace of the suggested questions (default: default)
      --direct              use the agent DIRECT_AGENT_ID, which needs no mention, for one-to-one chats
      --app-id ID           id of the platform's app
      --region REGION       region of the app: us, eu, in
      --api-base URL        URL of the platform's REST API instead of both; may end in /v3
      --name NAME           name of the agent (default: Knowledge)
      --icon URL            picture of the agent; the platform requires one to create an agent
      --greeting TEXT       metaData.greetingMessage
      --intro TEXT          metaData.introductoryMessage
      --suggest TEXT        suggested question; may be repeated (default: questions that the documents answer)
      --endpoint            send the URL of the generate endpoint instead of the server's
      --apply               send the requests; without it, only show them
      --unchecked           do not ask the public URL, if only the platform can reach it; with
                            --apply, also accept a local URL without https
      --show-secrets        print PATH_PREFIX and KNOWLEDGE_API_KEY instead of their names
      --json                print the result or the planned requests as JSON
  -h, --help

Uses the platform's REST key in CHAT_API_KEY, and a key of this server in KNOWLEDGE_API_KEY (environment or .env).
Exit code: 0 done, 1 a chat gets no answer or the platform failed, 2 wrong arguments.
`;

interface Findings {
  readonly problems: readonly string[];
  readonly isReached: boolean;
  readonly agents: ServedAgents;
  readonly suggestions: readonly string[];
}

const insecureNote = (url: string) => `${url} is not https, which the platform requires.`;
const openNote = 'Callers without a key may write and delete documents there. npm run register names the settings that prevent it.';

async function askServer({ address, values, key }: RegisterSetup): Promise<Findings> {
  const insecure = isPlainHttp(address.url) ? [insecureNote(address.url)] : [];
  const nothing = { agents: {}, suggestions: [], isReached: false };
  // A key must not be sent in plain text over a network.
  if (values.unchecked || (insecure.length > 0 && key !== undefined && !isLocal(address.url))) return { ...nothing, problems: insecure };
  const agents = await findServedAgents(address);
  if (typeof agents === 'string') return { ...nothing, problems: [...insecure, agents] };
  // Suggestions may need a key, also if the provider sends none.
  const headers = key === undefined ? {} : { authorization: `Bearer ${key}` };
  const suggestions = values.suggest ? [] : await findSuggestions({ ...address, headers });
  const isOpen = await isOpenToWrite(address);
  return { agents, suggestions, isReached: true, problems: isOpen ? [...insecure, openNote] : insecure };
}

/** Texts that mention the agent; empty if it needs no mention. */
function mentionsFor({ address: { agentId, provider }, config }: RegisterSetup, agents: ServedAgents): readonly string[] {
  const { requiresMention, mentions } = agents[agentId] ?? {
    requiresMention: agentId === groupAgent && config.requireMention,
    mentions: config.agentMentions,
  };
  return requiresMention && provider === 'mastra' ? mentions : [];
}

function entryFormOf(setup: RegisterSetup, { agents, suggestions }: Findings): EntryForm {
  const { greeting, intro, suggest, namespace, endpoint, name, icon } = setup.values;
  const { url, agentId } = setup.address;
  return {
    baseUrl: endpoint ? `${url}/api/agents/${agentId}/generate` : url,
    agentId,
    name: name?.trim(),
    icon: icon?.trim(),
    messages: {
      ...(greeting === undefined ? {} : { greetingMessage: greeting }),
      ...(intro === undefined ? {} : { introductoryMessage: intro }),
    },
    mentions: mentionsFor(setup, agents),
    given: suggest,
    found: suggestions,
    isRenewed: namespace !== undefined,
  };
}

interface Plan {
  readonly form: EntryForm;
  readonly dashboard: Readonly<Record<string, unknown>>;
  readonly problems: readonly string[];
  readonly checks: readonly ChatCheck[];
  /** Whether the entry would be useless: the agent would answer in no chat. */
  readonly isBlocked: boolean;
}

const keyName = '<KNOWLEDGE_API_KEY>';

function dashboardOf({ address: { provider, url, agentId }, key = keyName, values }: RegisterSetup, form: EntryForm) {
  const suggestedMessages = buttonsOf(form);
  if (provider === 'ag-ui') {
    const headers = { Authorization: `Bearer ${values['show-secrets'] ? key : keyName}` };
    return { provider: 'Custom (AG-UI)', deploymentUrl: `${url}/api/agents/${agentId}/ag-ui`, headers, suggestedMessages };
  }
  return { provider: 'Mastra', agentId, deploymentUrl: url, endpoint: `${url}/api/agents/${agentId}/generate`, suggestedMessages };
}

const isFailed = ({ outcome }: ChatCheck) => outcome === 'silent' || outcome === 'refused';

async function makePlan(setup: RegisterSetup): Promise<Plan> {
  const { values, address } = setup;
  const findings = await askServer(setup);
  const { agents, problems, suggestions, isReached } = findings;
  const form = entryFormOf(setup, findings);
  const question = values.suggest?.[0] ?? suggestions[0] ?? defaultQuestion;
  const checks = isReached ? await checkChats(address, agents, question) : [];
  // A rehearsal with a platform on this machine needs no TLS.
  const isRehearsal = isLocal(address.url) && setup.agentsAddress !== undefined && isLocal(setup.agentsAddress);
  const isInsecure = isPlainHttp(address.url) && values.apply && !isRehearsal;
  const isUseless = checks.filter(({ agentId }) => agentId === address.agentId).every(isFailed);
  return { form, dashboard: dashboardOf(setup, form), problems, checks, isBlocked: !values.unchecked && (isInsecure || isUseless) };
}

type Outcome = Readonly<{ done: 'created' | 'updated' | 'unchanged'; uid: string | undefined }>;

async function apply(
  { address: { agentId, url }, agentsAddress, hide }: RegisterSetup,
  form: EntryForm,
  key: string | undefined,
): Promise<Outcome> {
  if (agentsAddress === undefined) throw new UsageError('--apply needs --app-id and --region, or --api-base.');
  if (key === undefined) throw new UsageError('--apply needs the REST key of the platform. Set CHAT_API_KEY.');
  const agents = createPlatformAgents(agentsAddress, key, hide);
  const own = findOwn(await agents.list(), agentId, [url, `${url}/api/agents/${agentId}/generate`]);
  if (!own && form.icon === undefined)
    throw new UsageError('The platform requires a picture to create an agent. Give --icon with the URL of one that everyone can load.');
  if (!own) return { done: 'created', uid: await agents.create(toCreate(form)) };
  const changes = toUpdate(form, own.metaData);
  if (hasAll(own.fields, changes)) return { done: 'unchanged', uid: own.uid };
  await agents.update(own.uid, changes);
  return { done: 'updated', uid: own.uid };
}

type PlannedRequest = Readonly<{ method: string; url: string; body: object }>;

const planRequests = ({ agentsAddress, address: { provider } }: RegisterSetup, form: EntryForm): PlannedRequest[] =>
  agentsAddress === undefined || provider === 'ag-ui'
    ? []
    : [
        { method: 'POST', url: agentsAddress, body: toCreate(form) },
        { method: 'PATCH', url: `${agentsAddress}/{uid}`, body: toUpdate(form) },
      ];

function plannedText(requests: readonly PlannedRequest[], { agentId, icon }: EntryForm): string {
  const [create, update] = requests;
  if (!create || !update) return 'Give --app-id and --region to see the planned requests.\n\n';
  const shown = ({ method, url, body }: PlannedRequest) => `${method} ${url}\n${shownJson(body)}\n`;
  const missing = icon === undefined ? '\nThe platform requires a picture to create an agent: give --icon.\n' : '';
  return `Nothing was sent. --apply would send:
${missing}
${shown(create)}
or, if the app already has an agent with the id ${agentId}, this request. It keeps the texts of the entry that you do not give:

${shown(update)}
`;
}

function dashboardText({ address: { namespace }, key, values, config }: RegisterSetup, dashboard: Plan['dashboard']): string {
  const { provider, agentId, deploymentUrl, endpoint, headers, suggestedMessages } = dashboard;
  const line = (name: string, value: unknown) => (value === undefined ? '' : `  ${name.padEnd(16)}${shownLine(String(value))}\n`);
  const hidden = [headers && key && 'KNOWLEDGE_API_KEY', config.pathPrefix && 'PATH_PREFIX'].filter(Boolean).join(' and ');
  return [
    'In the dashboard (AI Agents, Add Agent):\n',
    line('Provider', provider),
    line('Agent ID', agentId),
    line('Deployment URL', deploymentUrl),
    endpoint ? line('', `or, if the platform requires the full endpoint, ${endpoint}`) : '',
    headers ? line('Headers', JSON.stringify(headers)) : '',
    ...(suggestedMessages as string[]).map((text, at) => line(at === 0 ? 'Suggestions' : '', text)),
    headers && key === undefined ? `\nMake a key and set KNOWLEDGE_API_KEY to it: ${keyCommand(namespace)}\n` : '',
    hidden !== '' && !values['show-secrets'] ? `\n--show-secrets prints ${hidden}.\n` : '',
  ].join('');
}

function checksText(checks: readonly ChatCheck[]): string {
  const width = Math.max(...checks.map(({ agentId }) => agentId.length));
  const rows = checks.map(({ chat, agentId, outcome, text }) => `  ${chat.padEnd(12)}${agentId.padEnd(width)}  ${outcome}: ${text}\n`);
  return rows.length === 0 ? '' : `\nAsked as this provider:\n${rows.join('')}`;
}

function doneText({ config, values }: RegisterSetup, { done, uid }: Outcome): string {
  const which = uid === undefined ? '' : `: ${shownLine(uid)}`;
  const isOtherUid = uid !== undefined && uid !== config.chatAgentUid && !values.direct;
  const advice = isOtherUid ? `Set CHAT_AGENT_UID=${shownLine(uid)}, so that the platform's mention of the agent counts.\n` : '';
  return `${done === 'unchanged' ? `The agent is up to date${which}. Nothing was changed.` : `The agent was ${done}${which}.`}\n${advice}`;
}

/** The value without secrets. */
const hidden = ({ hide }: RegisterSetup, value: object): unknown => JSON.parse(hide(JSON.stringify(value)));

function report(setup: RegisterSetup, plan: Plan, outcome: Outcome | undefined): void {
  const { values, hide, address } = setup;
  const requests = outcome ? [] : planRequests(setup, plan.form);
  const { problems, dashboard, checks } = plan;
  if (values.json) {
    printJson(hidden(setup, { done: outcome?.done ?? 'nothing', uid: outcome?.uid, requests, problems, dashboard, checks }));
    return;
  }
  for (const problem of problems) warn(hide(problem));
  const planned = values.apply ? 'Nothing was sent.\n\n' : address.provider === 'ag-ui' ? '' : plannedText(requests, plan.form);
  const done = outcome ? doneText(setup, outcome) : planned + dashboardText(setup, dashboard);
  print(hide(done + checksText(checks)));
}

async function applyAndReport(setup: RegisterSetup, plan: Plan, key: string | undefined): Promise<Outcome> {
  try {
    return await apply(setup, plan.form, key);
  } catch (error) {
    if (setup.values.json && error instanceof KnowledgeError)
      printJson(hidden(setup, { error: error.message, problems: plan.problems, dashboard: plan.dashboard }));
    throw error;
  }
}

export const registerCommand = createCommand(
  { help, options: registerOptions, allowPositionals: false },
  async ({ values }, environment) => {
    const config = parseCommandConfig(environment);
    const [provider] = chooseSome('provider', values.provider === undefined ? [] : [values.provider], providers);
    if (provider === undefined) {
      if (values.apply) throw new UsageError('--apply needs --provider mastra. npm run register explains the providers.');
      print(choiceText(config, chosenNamespace(values)));
      return exitCodes.done;
    }
    const setup = readSetup(values, provider, config, environment);
    if (values.apply && isPlainHttp(setup.address.url) && !isLocal(setup.address.url))
      throw new UsageError(setup.hide(insecureNote(setup.address.url)));
    const plan = await makePlan(setup);
    const outcome = values.apply && !plan.isBlocked ? await applyAndReport(setup, plan, readKey(environment, 'CHAT_API_KEY')) : undefined;
    report(setup, plan, outcome);
    return plan.isBlocked || plan.checks.some(isFailed) ? exitCodes.failed : exitCodes.done;
  },
);
