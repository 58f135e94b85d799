// `npm run bench:chaos`: three scripted providers that fail in many ways, through Weir with each strategy and through Portkey.
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { endOnSignals } from '../end-on-signals.ts';
import { numberOption } from '../number-option.ts';
import { installPortkey, portkeyVersion, startPortkey } from '../portkey.ts';
import { quantile } from '../statistics.ts';
import { startWeir } from '../weir.ts';
import { type Provider, startProvider } from './provider.ts';
import { healthy, type Phase, phases } from './script.ts';

const { values } = parseArgs({
  options: {
    /** Of each phase. */
    seconds: { type: 'string', default: '8' },
    rate: { type: 'string', default: '40' },
    /** Strategies, hedging and Portkey, and a part of the names of faults, each separated by commas. */
    only: { type: 'string', default: '' },
  },
});
const seconds = numberOption('seconds', values.seconds);
const rate = numberOption('rate', values.rate);
/** Above the first content of every healthy answer, and below the patience of a person. */
const timeoutMs = 1500;
const warmUpSeconds = 1;
const allSubjects = ['cheapest', 'order', 'fastest', 'weighted', 'hedge', 'portkey'];
const allHealthy: Phase = { name: 'warm-up', behaviours: [] };
let portkeyFolder: Promise<string> | undefined;

/** The models, the first of them the cheapest, with the dollars of an answer. */
const models = [
  { provider: 'openai', model: 'gpt-4.1-nano', usd: (400 * 0.1 + 100 * 0.4) / 1e6 },
  { provider: 'mistral', model: 'mistral-small-latest', usd: (400 * 0.1 + 100 * 0.3) / 1e6 },
  { provider: 'groq', model: 'llama-3.3-70b-versatile', usd: (400 * 0.59 + 100 * 0.79) / 1e6 },
] as const;

interface Outcome {
  readonly isComplete: boolean;
  /** Whether it was cut after its first content. */
  readonly isCut: boolean;
  readonly firstContentMs: number | undefined;
  readonly answeredBy: string | undefined;
}

interface PhaseResult {
  readonly phase: Phase;
  readonly outcomes: readonly Outcome[];
  readonly upstreamRequests: number;
}

endOnSignals();
await using children = new AsyncDisposableStack();
const providers: Provider[] = [];
for (const { provider } of models) providers.push(children.use(await startProvider(provider)));

const only = values.only.split(',').filter((name) => name !== '');
const subjects = only.filter((name) => allSubjects.includes(name));
const faults = only.filter((name) => !allSubjects.includes(name));
const isChosen = ({ name }: Phase) => faults.length === 0 || faults.some((fault) => name.includes(fault));
const chosenPhases = [...phases.slice(0, 1), ...phases.slice(1).filter(isChosen)];
if (faults.length > 0 && chosenPhases.length === 1)
  throw new Error(`no fault of these names: ${phases.map(({ name }) => name).join(', ')}`);

for (const subject of subjects.length === 0 ? allSubjects : subjects) {
  const results: PhaseResult[] = [];
  for (const phase of chosenPhases) {
    // What a gateway has learned of one fault must not help with the next.
    await using processes = new AsyncDisposableStack();
    const call = subject === 'portkey' ? await portkey(processes) : await weir(processes, subject);
    await runPhase(allHealthy, call, warmUpSeconds);
    results.push(await runPhase(phase, call, seconds));
  }
  report(subject, results);
}

type Call = (conversation: number) => Promise<Response>;

async function weir(processes: AsyncDisposableStack, subject: string): Promise<Call> {
  const [openai, mistral, groq] = providers.map(({ url }) => url);
  const gateway = processes.use(
    await startWeir({
      upstream: '',
      environment: {
        WEIR_OPENAI_BASE_URL: openai ?? '',
        WEIR_MISTRAL_BASE_URL: mistral ?? '',
        WEIR_GROQ_BASE_URL: groq ?? '',
        MISTRAL_API_KEY: 'mistral-bench',
        GROQ_API_KEY: 'gsk_bench',
      },
    }),
  );
  const list = models.map(({ provider, model }) => `${provider}/${model}`).join('|');
  const strategy = subject === 'hedge' ? 'strategy=order&hedge=p95' : `strategy=${subject}`;
  const pipeline = `router?models=${list}&${strategy}&timeout=${timeoutMs}ms`;
  return (conversation) =>
    post(`${gateway.origin}/v1/chat/completions`, 'auto', conversation, { 'x-weir-pipeline': pipeline });
}

async function portkey(processes: AsyncDisposableStack): Promise<Call> {
  portkeyFolder ??= installPortkey(portkeyVersion);
  const gateway = processes.use(await startPortkey(await portkeyFolder));
  const config = JSON.stringify({
    strategy: { mode: 'fallback' },
    request_timeout: timeoutMs,
    retry: { attempts: 1 },
    targets: models.map(({ model }, at) => ({
      provider: 'openai',
      api_key: 'sk-bench',
      custom_host: providers[at]?.url,
      override_params: { model },
    })),
  });
  return (conversation) =>
    post(`${gateway.origin}/v1/chat/completions`, 'auto', conversation, { 'x-portkey-config': config });
}

function post(
  url: string,
  model: string,
  conversation: number,
  headers: Readonly<Record<string, string>>,
): Promise<Response> {
  const messages = [{ role: 'user', content: `Question ${conversation}: ${'word '.repeat(380)}` }];
  return fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ model, stream: true, max_tokens: 100, messages }),
  });
}

async function runPhase(phase: Phase, call: Call, seconds: number): Promise<PhaseResult> {
  for (const [at, provider] of providers.entries()) {
    provider.behaviour = { ...healthy, ...phase.behaviours[at] };
    provider.requests = 0;
  }
  const pending: Promise<Outcome>[] = [];
  const startedAt = performance.now();
  for (let calls = 0; calls < seconds * rate; calls++) {
    const dueAt = startedAt + (calls * 1000) / rate;
    const waitMs = dueAt - performance.now();
    if (waitMs > 0) await sleep(waitMs);
    pending.push(observe(call, calls));
  }
  const outcomes = await Promise.all(pending);
  return { phase, outcomes, upstreamRequests: providers.reduce((sum, { requests }) => sum + requests, 0) };
}

async function observe(call: Call, conversation: number): Promise<Outcome> {
  const startedAt = performance.now();
  let firstContentMs: number | undefined;
  let text = '';
  try {
    const response = await call(conversation);
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk, { stream: true });
      if (response.ok && text.includes('"content"')) firstContentMs ??= performance.now() - startedAt;
    }
    const isComplete = response.ok && text.includes('[DONE]') && text.includes(' done');
    return { isComplete, isCut: text.includes('"half"'), firstContentMs, answeredBy: answererOf(text) };
  } catch {
    return { isComplete: false, isCut: text.includes('"half"'), firstContentMs, answeredBy: undefined };
  }
}

function answererOf(text: string): string | undefined {
  return models.find(({ provider }) => text.includes(`"content":"${provider}"`))?.provider;
}

function report(subject: string, results: readonly PhaseResult[]): void {
  console.log(`\n${subject}: ${rate} calls a second, ${seconds} s for each phase`);
  console.log(
    'phase                        | succeeded | first token p50, p99 | added p50, p99    | requests per call | µ$ per answer, in all',
  );
  const [healthyPhase] = results;
  const usual = healthyPhase === undefined ? [] : contentTimes([healthyPhase]);
  for (const result of results) console.log(row(result.phase.name, [result], usual));
  console.log(row('all', results, usual));
}

/** Calls that were cut after their first content could not succeed. */
function completeCalls(results: readonly PhaseResult[]): readonly Outcome[] {
  return results.flatMap(({ outcomes }) => outcomes).filter((one) => one.isComplete && !one.isCut);
}

function contentTimes(results: readonly PhaseResult[]): readonly number[] {
  return completeCalls(results).flatMap(({ firstContentMs }) => firstContentMs ?? []);
}

/** Compared with the times of the healthy phase. */
function row(name: string, results: readonly PhaseResult[], usual: readonly number[]): string {
  const outcomes = results.flatMap((one) => one.outcomes);
  const possible = outcomes.filter(({ isCut }) => !isCut);
  const complete = completeCalls(results);
  const times = contentTimes(results);
  const [p50, p99] = [0.5, 0.99].map((share) => quantile(times, share));
  const [added50, added99] = [0.5, 0.99].map((share) => quantile(times, share) - quantile(usual, share));
  const upstream = results.reduce((sum, one) => sum + one.upstreamRequests, 0);
  const usd = complete.reduce(
    (sum, { answeredBy }) => sum + (models.find(({ provider }) => provider === answeredBy)?.usd ?? 0),
    0,
  );
  return [
    name.padEnd(28),
    `${((complete.length / possible.length) * 100).toFixed(2).padStart(7)} % `,
    `${milliseconds(p50)}, ${milliseconds(p99)} ms    `,
    `${milliseconds(added50)}, ${milliseconds(added99)} ms `,
    (upstream / outcomes.length).toFixed(3).padStart(17),
    `${((usd / complete.length) * 1e6).toFixed(1).padStart(13)}, $${usd.toFixed(4)}`,
  ].join(' | ');
}

function milliseconds(ms: number | undefined): string {
  return (ms ?? Number.NaN).toFixed(0).padStart(6);
}
