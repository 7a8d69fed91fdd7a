/** `npm run ask -- "question"`: the agent's answer, as a chat user would read it. */
import { parseArgs } from 'node:util';
import { compose } from '../compose.ts';
import { type Command, exitCodes, parseCommandConfig, UsageError } from './command.ts';

const help = `Ask the documents a question.

  npm run ask -- "how long do refunds take?" [options]

  -n, --namespace NAME  whose documents are asked (default: default)
      --json            print the whole result: citations with offsets, the search, the model
  -h, --help

The settings are those of the server (environment or .env); without LLM_API_KEY the built-in extractive model answers.
Exit code: 0 answered, 1 not answered or failed, 2 wrong arguments.
`;

export const askCommand: Command = async (args, environment) => {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      namespace: { type: 'string', short: 'n', default: 'default' },
      json: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(help);
    return exitCodes.done;
  }
  const question = positionals.join(' ').trim();
  if (question === '') throw new UsageError('A question is needed.');
  const config = parseCommandConfig(environment);
  const { api, openToAsk } = compose(config);
  await openToAsk();
  // Whoever types this command is speaking to the agent.
  const content = `${config.agentMentions[0]} ${question}`;
  const result = await api.ask({ messages: [{ role: 'user', content }], namespace: api.parseNamespace(values.namespace) });
  process.stdout.write(values.json ? `${JSON.stringify(result, undefined, 2)}\n` : `${result.text}\n`);
  return result.answered ? exitCodes.done : exitCodes.failed;
};
