/**
 * `npm run register`: explains the providers of the chat platform, creates or updates the agent
 * there with `--apply`, checks the public URL.
 */
import { KnowledgeError } from '../../packages/shared/src/errors.ts';
import { shownJson, shownLine } from '../../packages/shared/src/language/invisible.ts';
import { chooseSome, createCommand, exitCodes, parseCommandConfig, UsageError } from './command.ts';
import {
  buttonsOf,
  defaultQuestion,
  type EntryForm,
  type SavedEntry,
  saveEntry,
  toCreate,
  toUpdate,
} from './platform-agents.ts';
import {
  type ChatCheck,
  checkChats,
  findServedAgents,
  findSuggestions,
  groupAgent,
  isFailed,
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
import { print, warn } from './terminal.ts';

const help = `Attach the agent to the chat platform. Without --provider, explain the choice.

  knowledge-agent register
  knowledge-agent register --provider ag-ui [--show-secrets]
  knowledge-agent register --provider mastra --app-id ID --region us --icon URL [--direct] [--apply]

      --provider NAME       ag-ui: print the values to paste into the dashboard; the platform sends a key
                            mastra: create or update the entry on the platform; the platform sends no key
                            (default with --app-id, --region, --api-base or --apply)
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

const insecureNote = (url: string) => `${url} is not https, which the platform requires.`;
const openNote =
  'Callers without a key may write and delete documents there. The command register names the settings that prevent it; restart the server after you set them.';

interface Findings {
  readonly problems: readonly string[];
  readonly agents: ServedAgents;
  readonly suggestions: readonly string[];
  readonly checks: readonly ChatCheck[];
}

async function askServer({ address, values, key }: RegisterSetup): Promise<Findings> {
  const problems = isPlainHttp(address.url) ? [insecureNote(address.url)] : [];
  const nothing = { problems, agents: {}, suggestions: [], checks: [] };
  // A key must not be sent in plain text over a network.
  if (values.unchecked || (problems.length > 0 && key !== undefined && !isLocal(address.url)))
    return nothing;
  const agents = await findServedAgents(address);
  if (typeof agents === 'string') return { ...nothing, problems: [...problems, agents] };
  // Suggestions may need a key, also if the provider sends none.
  const headers: Record<string, string> =
    key === undefined ? {} : { authorization: `Bearer ${key}` };
  const suggestions = values.suggest ?? (await findSuggestions(address, headers));
  if (await isOpenToWrite(address)) problems.push(openNote);
  return {
    problems,
    agents,
    suggestions,
    checks: await checkChats(address, agents, suggestions[0] ?? defaultQuestion),
  };
}

function entryFormOf(
  { values, config, address: { url, agentId, provider } }: RegisterSetup,
  { agents, suggestions }: Findings,
): EntryForm {
  const { greeting, intro, suggest, namespace, endpoint, name, icon } = values;
  const { requiresMention, mentions } = agents[agentId] ?? {
    requiresMention: agentId === groupAgent && config.requireMention,
    mentions: config.agentMentions,
  };
  return {
    baseUrl: endpoint ? `${url}/api/agents/${agentId}/generate` : url,
    agentId,
    name: name?.trim(),
    icon: icon?.trim(),
    greeting,
    intro,
    mentions: requiresMention && provider === 'mastra' ? mentions : [],
    questions: suggest ?? (suggestions.length > 0 ? suggestions : [defaultQuestion]),
    isRenewed: suggest !== undefined || (namespace !== undefined && suggestions.length > 0),
  };
}

/** The values to paste. */
interface Dashboard {
  readonly provider: string;
  readonly agentId?: string;
  readonly deploymentUrl: string;
  readonly endpoint?: string;
  readonly headers?: object;
  readonly suggestedMessages: readonly string[];
}

function dashboardOf(
  { address: { provider, url, agentId }, key, values }: RegisterSetup,
  form: EntryForm,
): Dashboard {
  const suggestedMessages = buttonsOf(form);
  const agentUrl = `${url}/api/agents/${agentId}`;
  if (provider === 'mastra')
    return {
      provider: 'Mastra',
      agentId,
      deploymentUrl: url,
      endpoint: `${agentUrl}/generate`,
      suggestedMessages,
    };
  const shownKey = values['show-secrets'] && key !== undefined ? key : '<KNOWLEDGE_API_KEY>';
  const headers = { Authorization: `Bearer ${shownKey}` };
  return {
    provider: 'Custom (AG-UI)',
    deploymentUrl: `${agentUrl}/ag-ui`,
    headers,
    suggestedMessages,
  };
}

function isBlocked(
  { values, address, agentsAddress }: RegisterSetup,
  { checks }: Findings,
): boolean {
  // A rehearsal with a platform on this machine needs no TLS.
  const isRehearsal = isLocal(address.url) && agentsAddress !== undefined && isLocal(agentsAddress);
  const isInsecure = isPlainHttp(address.url) && values.apply && !isRehearsal;
  // The agent would answer in no chat.
  const isUseless = checks.filter(({ agentId }) => agentId === address.agentId).every(isFailed);
  return !values.unchecked && (isInsecure || isUseless);
}

const planRequests = ({ agentsAddress, address: { provider } }: RegisterSetup, form: EntryForm) =>
  agentsAddress === undefined || provider === 'ag-ui'
    ? []
    : [
        { method: 'POST', url: agentsAddress, body: toCreate(form) },
        { method: 'PATCH', url: `${agentsAddress}/{uid}`, body: toUpdate(form) },
      ];

function plannedText(setup: RegisterSetup, form: EntryForm): string {
  if (setup.values.apply) return 'Nothing was sent.\n\n';
  if (setup.address.provider === 'ag-ui') return '';
  const [create, update] = planRequests(setup, form).map(
    ({ method, url, body }) => `${method} ${url}\n${shownJson(body)}\n`,
  );
  if (create === undefined) return 'Give --app-id and --region to see the planned requests.\n\n';
  const missing =
    form.icon === undefined
      ? '\nThe platform requires a picture to create an agent: give --icon.\n'
      : '';
  return `Nothing was sent. --apply would send:
${missing}
${create}
or, if the app already has an agent with the id ${form.agentId}, this request. It keeps the texts of the entry that you do not give:

${update}
`;
}

function dashboardText(
  { address: { namespace }, key, values, config }: RegisterSetup,
  dashboard: Dashboard,
): string {
  const { provider, agentId, deploymentUrl, endpoint, headers, suggestedMessages } = dashboard;
  const line = (name: string, value: string | undefined) =>
    value === undefined ? '' : `  ${name.padEnd(16)}${shownLine(value)}\n`;
  const hidden = [headers && key && 'KNOWLEDGE_API_KEY', config.pathPrefix && 'PATH_PREFIX']
    .filter(Boolean)
    .join(' and ');
  return [
    'In the dashboard (AI Agents, Add Agent):\n',
    line('Provider', provider),
    line('Agent ID', agentId),
    line('Deployment URL', deploymentUrl),
    line('', endpoint && `or, if the platform requires the full endpoint, ${endpoint}`),
    line('Headers', headers && JSON.stringify(headers)),
    ...suggestedMessages.map((text, at) => line(at === 0 ? 'Suggestions' : '', text)),
    headers && key === undefined
      ? `\nMake a key and set KNOWLEDGE_API_KEY to it: ${keyCommand(namespace)}\n`
      : '',
    hidden !== '' && !values['show-secrets'] ? `\n--show-secrets prints ${hidden}.\n` : '',
  ].join('');
}

function checksText(checks: readonly ChatCheck[]): string {
  const width = Math.max(...checks.map(({ agentId }) => agentId.length));
  const rows = checks.map(
    ({ chat, agentId, outcome, text }) =>
      `  ${chat.padEnd(12)}${agentId.padEnd(width)}  ${outcome}: ${text}\n`,
  );
  return rows.length === 0 ? '' : `\nAsked as this provider:\n${rows.join('')}`;
}

function savedText({ config, values }: RegisterSetup, { done, uid }: SavedEntry): string {
  const which = uid === undefined ? '' : `: ${shownLine(uid)}`;
  const isOtherUid = uid !== undefined && uid !== config.chatAgentUid && !values.direct;
  const advice = isOtherUid
    ? `Set CHAT_AGENT_UID=${shownLine(uid)}, so that the platform's mention of the agent counts.\n`
    : '';
  return `${done === 'unchanged' ? `The agent is up to date${which}. Nothing was changed.` : `The agent was ${done}${which}.`}\n${advice}`;
}

const resultText = (
  setup: RegisterSetup,
  form: EntryForm,
  dashboard: Dashboard,
  saved: SavedEntry | undefined,
) => (saved ? savedText(setup, saved) : plannedText(setup, form) + dashboardText(setup, dashboard));

async function apply(
  { agentsAddress, hide }: RegisterSetup,
  form: EntryForm,
  key: string | undefined,
): Promise<SavedEntry> {
  if (agentsAddress === undefined)
    throw new UsageError('--apply needs --app-id and --region, or --api-base.');
  if (key === undefined)
    throw new UsageError('--apply needs the REST key of the platform. Set CHAT_API_KEY.');
  return saveEntry(form, agentsAddress, key, hide);
}

async function register(setup: RegisterSetup, environment: NodeJS.ProcessEnv): Promise<number> {
  const { values, hide } = setup;
  const findings = await askServer(setup);
  const { problems, checks } = findings;
  const form = entryFormOf(setup, findings);
  const dashboard = dashboardOf(setup, form);
  const printHidden = (result: object) => print(`${hide(shownJson(result))}\n`);
  const blocked = isBlocked(setup, findings);
  let saved: SavedEntry | undefined;
  try {
    if (values.apply && !blocked)
      saved = await apply(setup, form, readKey(environment, 'CHAT_API_KEY'));
  } catch (error) {
    if (values.json && error instanceof KnowledgeError)
      printHidden({ error: error.message, problems, dashboard });
    throw error;
  }
  if (values.json) {
    const requests = saved ? [] : planRequests(setup, form);
    printHidden({
      done: saved?.done ?? 'nothing',
      uid: saved?.uid,
      requests,
      problems,
      dashboard,
      checks,
    });
  } else {
    for (const problem of problems) warn(hide(problem));
    print(hide(resultText(setup, form, dashboard, saved) + checksText(checks)));
  }
  return blocked || checks.some(isFailed) ? exitCodes.failed : exitCodes.done;
}

export const registerCommand = createCommand(
  { help, options: registerOptions, allowPositionals: false },
  async ({ values }, environment) => {
    const config = parseCommandConfig(environment);
    // Only the entry of the Mastra provider can be sent to the platform.
    const isForPlatform = [values.apply, values['app-id'], values.region, values['api-base']].some(
      Boolean,
    );
    const { provider: named = isForPlatform ? 'mastra' : undefined } = values;
    const [provider] = chooseSome('provider', named === undefined ? [] : [named], providers);
    if (provider === undefined) {
      print(choiceText(config, chosenNamespace(values)));
      return exitCodes.done;
    }
    const setup = readSetup(values, provider, config, environment);
    const { url } = setup.address;
    if (values.apply && isPlainHttp(url) && !isLocal(url))
      throw new UsageError(setup.hide(insecureNote(url)));
    return register(setup, environment);
  },
);
