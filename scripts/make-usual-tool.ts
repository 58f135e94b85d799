// The vector of src/modules/mcp-optimizer/choice/average-tool.ts: node scripts/make-usual-tool.ts --data <folder>
import { parseArgs } from 'node:util';
import { CachedVectors } from '../measure/eval/tools/cached-vectors.ts';
import { type EvalTool, rowsOf } from '../measure/eval/tools/sets.ts';
import { toolText } from '../src/modules/mcp-optimizer/choice/tool-text.ts';

const { data } = parseArgs({ options: { data: { type: 'string' } } }).values;
if (data === undefined) throw new Error('--data <folder> is missing');

const vectors = new CachedVectors();
const collections = [
  ['toole/tools.jsonl'],
  ['bfcl/tools.jsonl'],
  ['distractors/docker-mcp-registry.tools.jsonl', 'distractors/github-mcp-server.tools.jsonl'],
];
const means = await Promise.all(collections.map((files) => meanOf(files, data)));
const mean = meanVector(means);
const largest = mean.reduce((most, value) => Math.max(most, Math.abs(value)), 0);
const bytes = Int8Array.from(mean, (value) => Math.round((value / largest) * 127));
console.log(`scale ${(largest / 127).toPrecision(6)}`);
console.log(Buffer.from(bytes.buffer).toString('base64'));

async function meanOf(files: readonly string[], folder: string): Promise<Float32Array> {
  const texts = files.flatMap((file) => rowsOf<EvalTool>(folder, file)).map(toolText);
  await vectors.make(texts);
  return meanVector(texts.map((text) => vectors.get(text)));
}

function meanVector(all: readonly Float32Array[]): Float32Array {
  const sum = new Float32Array(all[0]?.length ?? 0);
  for (const one of all) for (let at = 0; at < sum.length; at++) sum[at] = (sum[at] ?? 0) + (one[at] ?? 0);
  return sum.map((value) => value / all.length);
}
