// A program that speaks MCP over its standard input and output. Its argument says how it behaves.
import { spawn } from 'node:child_process';
import { createInterface } from 'node:readline';

const [behaviour = ''] = process.argv.slice(2);
if (behaviour === 'fails') {
  console.error('the token is missing');
  process.exit(3);
}
if (behaviour === 'stubborn') {
  for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => undefined);
  setInterval(() => undefined, 1000);
}
if (behaviour === 'parent') {
  const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)'], { stdio: 'ignore' });
  console.error(`child ${child.pid}`);
}
console.error(`runs ${process.pid}`);
/** @param {object} message */
const write = (message) => process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
const waiting = new Map();
let isInitialized = false;

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) {
    write({ id: waiting.get(id), result: { content: [{ type: 'text', text: JSON.stringify(result) }] } });
  } else if (method === 'initialize') {
    const serverInfo = { name: 'program', version: '1' };
    write({ id, result: { protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo } });
    isInitialized = true;
  } else if (behaviour === 'strict' && id !== undefined && !isInitialized && method !== 'server/discover') {
    write({ id, error: { code: -32002, message: 'initialize first' } });
  } else if (behaviour === 'fragile' && id !== undefined && method !== 'tools/list') {
    process.exit(1);
  } else if (method === 'tools/list') {
    const names = ['environment', 'ask', 'end', 'garbage'];
    write({ id, result: { tools: names.map((name) => ({ name, inputSchema: { type: 'object' } })) } });
  } else if (method === 'tools/call') {
    if (params.name === 'end') process.exit(7);
    if (params.name === 'garbage') process.stdout.write('this is no JSON\n');
    if (params.name === 'ask') {
      waiting.set('question', id);
      write({
        id: 'question',
        method: 'elicitation/create',
        params: { message: 'Which?', requestedSchema: {} },
      });
    }
    if (params.name === 'environment')
      write({ id, result: { content: [{ type: 'text', text: JSON.stringify(process.env) }] } });
  } else if (id !== undefined && behaviour !== 'ignores') {
    write({ id, error: { code: -32601, message: 'unknown' } });
  }
});
if (behaviour !== 'stubborn') process.stdin.on('end', () => process.exit(0));
