// An MCP server of sixty tools on standard input and output, as agents start it.
import { createInterface } from 'node:readline';

const things =
  'garden kitchen cellar attic garage library harbor stable orchard workshop bakery chapel tower bridge meadow'.split(
    ' ',
  );
const actions = {
  inspect: 'Looks at the state of',
  repair: 'Repairs what is broken in',
  rename: 'Gives another name to',
  lend: 'Lends out to neighbours',
};
const tools = things.flatMap((thing) =>
  Object.entries(actions).map(([action, does]) => ({
    name: `${action}_${thing}`,
    description: `${does} the ${thing} of the estate; the steward is told of it.`,
    inputSchema: {
      type: 'object',
      properties: { reason: { type: 'string', description: `Why the ${thing} is wanted` } },
      required: ['reason'],
    },
    annotations: { readOnlyHint: action === 'inspect' },
  })),
);

/** @type {Record<string, (params: any) => object>} */
const answers = {
  initialize: ({ protocolVersion }) => ({
    protocolVersion,
    capabilities: { tools: {} },
    serverInfo: { name: 'house', version: '1.0.0' },
  }),
  ping: () => ({}),
  'tools/list': () => ({ tools }),
  'tools/call': ({ name, arguments: given }) => ({
    content: [{ type: 'text', text: `${name} is done because of ${given?.reason}` }],
  }),
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) continue;
  const answer = answers[method];
  const said =
    answer === undefined ? { error: { code: -32601, message: 'unknown' } } : { result: answer(params) };
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...said })}\n`);
}
