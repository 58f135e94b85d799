import { Exchange, Received } from '../kernel/exchange.ts';
import type { Answer, ChatRequest } from '../kernel/message.ts';
import type { Handler, Module } from '../kernel/module.ts';
import { Pipelines } from '../kernel/pipeline.ts';
import { Presence } from '../kernel/presence.ts';
import { Reply } from '../kernel/reply.ts';
import { Secret } from '../kernel/secret.ts';
import { type Step, Trace } from '../kernel/trace.ts';
import { demo } from '../providers/demo/demo.ts';
import { MemoryShelves } from '../storage/memory-shelves.ts';
import { anthropicMessages, wireByName } from '../wire/index.ts';

/** Calls a module as the gateway would; call it again to see what it remembered. */
export interface ModuleRun {
  /** What the client would get; `undefined` when the call was refused. */
  readonly answer: Answer | undefined;
  readonly error: unknown;
  /** What reached the provider, one a call. */
  readonly sent: readonly ChatRequest[];
  /** What the module was seen to do. */
  readonly step: Step | undefined;
}

export interface RunOptions {
  /** As they stand in a pipeline list: `ttl=1h&max_bytes=10`. */
  readonly options?: string;
  readonly account?: string;
  readonly credential?: string;
  readonly headers?: readonly string[];
  /** Stands in for the provider; the demonstration model does without. */
  readonly upstream?: Handler;
  /** Stands in for the client: aborted when it leaves. */
  readonly signal?: AbortSignal;
}

/** Prepares a module for tests: a real pipeline, a real shelf, and a provider of your choice. */
export function runModule(module: Module, defaults: RunOptions = {}) {
  const shelves = new MemoryShelves({ now: () => Date.now() });
  const pipelines = new Pipelines(new Map([[module.name, module]]), (owner, scope) => ({
    store: shelves.shelf(`${owner.name}\n${scope}`),
    clock: { now: () => Date.now() },
    fingerprint: ({ target }) => target.credential?.reveal() ?? '',
    replay: (recording) => Reply.replay(recording, wireByName(recording.wire)),
  }));

  return async (request: ChatRequest, over: RunOptions = {}): Promise<ModuleRun> => {
    const run = { ...defaults, ...over };
    const sent: ChatRequest[] = [];
    const trace = new Trace(performance.now());
    const exchange = exchangeFor(request, run, trace);
    const upstream: Handler = async (passed) => {
      sent.push(passed.request);
      return run.upstream === undefined ? demonstration(passed) : run.upstream(passed);
    };
    const list = run.options === undefined ? module.name : `${module.name}?${run.options}`;
    try {
      const reply = await pipelines.compile(list).run(exchange, upstream);
      return { answer: await reply.answer(), error: undefined, sent, step: trace.steps[0] };
    } catch (error) {
      return { answer: undefined, error, sent, step: trace.steps[0] };
    }
  };
}

function demonstration({ request, signal }: Exchange): Reply {
  if (demo.local === undefined) throw new Error('the demonstration model answers by itself');
  return Reply.stream(demo.local(request, signal));
}

function exchangeFor(request: ChatRequest, run: RunOptions, trace: Trace): Exchange {
  const bytes = Buffer.from(JSON.stringify(request));
  const received = new Received({
    wire: anthropicMessages,
    bytes,
    body: JSON.parse(bytes.toString()),
    headers: run.headers ?? [],
    query: '',
  });
  const target = { provider: demo, model: request.model };
  return new Exchange({
    id: 'req_test',
    received,
    caller:
      run.account === undefined
        ? { kind: 'local' }
        : { kind: 'account', accountId: run.account, keyId: 'key' },
    target: run.credential === undefined ? target : { ...target, credential: new Secret(run.credential) },
    presence: presenceOf(run.signal),
    trace,
  });
}

function presenceOf(signal: AbortSignal | undefined): Presence {
  const presence = new Presence();
  if (signal?.aborted === true) presence.leave();
  signal?.addEventListener('abort', () => presence.leave());
  return presence;
}
