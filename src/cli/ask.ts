/** `npm run ask -- "question"`: prints the answer of the agent. */
import { withReadableNamespaces } from '../../packages/shared/src/errors.ts';
import { withoutInvisible } from '../../packages/shared/src/language/invisible.ts';
import { requireFolders } from '../process.ts';
import {
  contextOf,
  createCommand,
  exitCodes,
  namespaceNamed,
  namespaceOption,
  parseCommandConfig,
  printResult,
  shellCommand,
  UsageError,
} from './command.ts';

const help = `Ask the documents a question.

  knowledge-agent ask "how long do refunds take?" [options]

  -n, --namespace NAME  namespace to search (default: default)
      --json            print the full result as JSON: citations with offsets, search, model

Uses the settings of the server (environment or .env). Without a model the built-in extractive model answers.
`;

export const askCommand = createCommand(
  {
    help,
    exit: '0 answered, 1 not answered or failed',
    options: namespaceOption,
    allowPositionals: true,
  },
  async ({ values, positionals }, environment) => {
    const question = positionals.join(' ').trim();
    if (question === '')
      throw new UsageError(
        `The question is missing. Write it in quotes: ${shellCommand('ask')} "how long do refunds take?"`,
      );
    const config = parseCommandConfig(environment);
    const { api, openToAsk } = await contextOf(config);
    const namespace = namespaceNamed(api, values.namespace);
    await requireFolders(config, false);
    await openToAsk();
    const messages = [{ role: 'user' as const, content: question }];
    const result = await api
      .ask({ messages, namespace, addressed: true })
      .catch(async (thrown: unknown) => {
        throw await withReadableNamespaces(thrown, () => api.documents.names());
      });
    printResult(values, result, `${withoutInvisible(result.text)}\n`);
    return result.answered ? exitCodes.done : exitCodes.failed;
  },
);
