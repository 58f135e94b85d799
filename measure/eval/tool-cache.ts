// What tool-cache saves in recorded conversations, and whether everything that is referred to is there: npm run eval:tool-cache -- --data <folder> [--agents <folder>]
import { existsSync } from 'node:fs';
import { basename, join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Block, ChatRequest, Message, ToolResultBlock } from '../../src/kernel/message.ts';
import { canonicalJson } from '../../src/lib/json.ts';
import { toolCache } from '../../src/modules/tool-cache/tool-cache.ts';
import { faultsIn } from './memory/faults.ts';
import { type Provider, providers, type Scorer, SimulatedRun, scorerIn } from './memory/simulated.ts';
import { chatsIn, recordedIn, requestsIn, type TimedRequest } from './memory/traces.ts';
import { agentTraffic } from './prompts/agents.ts';

const { values } = parseArgs({ options: { data: { type: 'string' }, agents: { type: 'string' } } });
const folder = values.data;

if (folder === undefined || !existsSync(folder))
  console.log(`skipped: there are no conversations at ${folder ?? '--data <folder>'}`);
else await report(folder);

async function report(data: string): Promise<void> {
  const scorer = await scorerIn(join(data, '..', 'score'));
  console.log(
    'conversations                                          provider   without    with       less     dearest  calls  repeated  results  repeated  referred  tokens less  missing  faults',
  );
  const show = async (
    name: string,
    provider: Provider,
    conversations: readonly (readonly TimedRequest[])[],
  ) => {
    const {
      without,
      spent,
      dearest,
      chars,
      omittedChars: omitted,
      ...counts
    } = await measure(conversations, {
      scorer,
      provider,
    });
    console.log(
      name.padEnd(54),
      provider.name.padEnd(10),
      `$${without.toFixed(4)}`.padEnd(10),
      `$${spent.toFixed(4)}`.padEnd(10),
      percent(1 - spent / without).padEnd(8),
      percent(dearest - 1).padEnd(8),
      String(counts.calls).padEnd(6),
      String(counts.repeatedCalls).padEnd(9),
      String(counts.results).padEnd(8),
      String(counts.repeatedResults).padEnd(9),
      String(counts.referred).padEnd(9),
      percent(omitted / chars).padEnd(12),
      String(counts.missing).padEnd(8),
      counts.faults,
    );
  };
  for (const provider of providers)
    for (const { file, isMany } of recordedIn(data)) {
      const isMarked = provider.name === 'anthropic';
      const conversations = isMany ? chatsIn(file, isMarked) : [requestsIn(file, isMarked)];
      await show(`${basename(file, '.jsonl')}, ${conversations.length}`, provider, conversations);
    }
  if (values.agents === undefined) return;
  for await (const { traffic, provider } of agentTraffic(values.agents, { isLong: true }))
    await show(traffic.name, provider, [traffic.calls]);
}

async function measure(
  conversations: readonly (readonly TimedRequest[])[],
  { scorer, provider }: { readonly scorer: Scorer; readonly provider: Provider },
) {
  const sums = {
    without: 0,
    spent: 0,
    dearest: 0,
    chars: 0,
    omittedChars: 0,
    referred: 0,
    missing: 0,
    faults: 0,
  };
  const counts = { calls: 0, repeatedCalls: 0, results: 0, repeatedResults: 0 };
  for (const requests of conversations) {
    const plain = new SimulatedRun(scorer, provider, undefined);
    const ours = new SimulatedRun(scorer, provider, 'idempotent=*', toolCache);
    for (const { request, atSeconds } of requests) {
      await plain.call(request, atSeconds);
      await ours.call(request, atSeconds);
      if (plain.dollars > 0) sums.dearest = Math.max(sums.dearest, ours.dollars / plain.dollars);
      const sent = ours.latest ?? request;
      sums.missing += missingIn(sent, request);
      sums.faults += faultsIn(sent).length > faultsIn(request).length ? 1 : 0;
      sums.chars += JSON.stringify(request.messages).length;
      sums.omittedChars += omittedChars(sent, request);
    }
    sums.without += plain.dollars;
    sums.spent += ours.dollars;
    sums.referred += referencesIn(ours.latest).length;
    const last = requests.at(-1)?.request.messages ?? [];
    for (const [name, count] of Object.entries(repetitionsIn(last)))
      counts[name as keyof typeof counts] += count;
  }
  return { ...sums, ...counts };
}

/** What references leave out. */
function omittedChars(sent: ChatRequest, received: ChatRequest): number {
  const contents = contentsIn(received);
  return referencesIn(sent).reduce(
    (sum, block) => sum + (contents.get(block.tool_use_id)?.length ?? 0) - textOf(block).length,
    0,
  );
}

function contentsIn({ messages }: ChatRequest): ReadonlyMap<string, string> {
  return new Map(resultsIn(messages).map((block) => [block.tool_use_id, textOf(block)]));
}

/** References in the request whose content isn't in front of them in full. */
function missingIn(sent: ChatRequest, received: ChatRequest): number {
  const contents = contentsIn(received);
  const all = resultsIn(sent.messages);
  return referencesIn(sent).filter((reference) => {
    const content = contents.get(reference.tool_use_id);
    return !all.slice(0, all.indexOf(reference)).some((block) => textOf(block) === content);
  }).length;
}

function referencesIn(request: ChatRequest | undefined): readonly ToolResultBlock[] {
  return resultsIn(request?.messages ?? []).filter((block) => textOf(block).startsWith('[Same result as'));
}

/** Calls that repeat one of the same answer, and results that repeat an earlier one. */
function repetitionsIn(messages: readonly Message[]) {
  const results = resultsIn(messages).map(textOf);
  const answers = messages.map((message) =>
    blocksIn(message).flatMap((block) =>
      block.type === 'tool_use' ? [canonicalJson([block.name, block.input])] : [],
    ),
  );
  return {
    calls: answers.flat().length,
    repeatedCalls: answers.reduce((sum, calls) => sum + calls.length - new Set(calls).size, 0),
    results: results.length,
    repeatedResults: results.length - new Set(results).size,
  };
}

function resultsIn(messages: readonly Message[]): readonly ToolResultBlock[] {
  return messages.flatMap(blocksIn).filter((block) => block.type === 'tool_result');
}

function blocksIn({ content }: Message): readonly Block[] {
  return typeof content === 'string' ? [] : content;
}

/** Without blanks at the ends of lines. */
function textOf({ content = '' }: ToolResultBlock): string {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return text
    .split('\n')
    .map((line) => line.trimEnd())
    .join('\n');
}

function percent(share: number): string {
  return `${(share * 100).toFixed(1)} %`;
}
