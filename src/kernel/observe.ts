import { GatewayError } from './errors.ts';
import type { Exchange } from './exchange.ts';
import type { Handler, Kit, Module } from './module.ts';
import type { Reply } from './reply/reply.ts';
import type { Step } from './trace.ts';

interface Watched {
  readonly exchange: Exchange;
  readonly next: Handler;
  readonly step: Step;
  readonly kit: Kit<unknown>;
}

/** Runs one module and sees, by identity, what it did; its failures are met by its own `ifBroken`. */
export async function observe(module: Module, { exchange, next, step, kit }: Watched): Promise<Reply> {
  const startedAt = performance.now();
  const given: Reply[] = [];
  let insideMs = 0;
  let innerFailure: unknown;
  let changedRequest = false;

  const watchedNext: Handler = async (passed) => {
    const enteredAt = performance.now();
    if (passed !== exchange) changedRequest = true;
    try {
      const reply = await next(passed);
      given.push(reply);
      return reply;
    } catch (failure) {
      innerFailure = failure;
      throw failure;
    } finally {
      insideMs += performance.now() - enteredAt;
    }
  };

  try {
    const reply = await module.handle(exchange, watchedNext, kit);
    step.effect = effectOf({ reply, given, changedRequest });
    const left = given.filter((one) => !reply.derivesFrom(one));
    if (left.length > 0) await discard(left);
    return reply;
  } catch (thrown) {
    if (thrown === innerFailure) {
      if (changedRequest) step.effect = 'changed-request';
      await discard(given);
      throw thrown;
    }
    if (GatewayError.is(thrown)) {
      step.effect = 'rejected';
      await discard(given);
      throw thrown;
    }
    step.effect = 'broken';
    step.fault = thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);
    if (innerFailure !== undefined && given.length === 0) throw innerFailure;
    return await withoutIt({ module, exchange, given, next: watchedNext, cause: thrown });
  } finally {
    step.ownMs = performance.now() - startedAt - insideMs;
  }
}

function effectOf(seen: { reply: Reply; given: readonly Reply[]; changedRequest: boolean }) {
  if (seen.given.length === 0) return 'answered';
  if (!seen.given.includes(seen.reply)) return 'changed-reply';
  return seen.changedRequest ? 'changed-request' : 'passed';
}

/** A reply that a module asked for and then left lying must still be told to stop. */
async function discard(left: readonly Reply[]): Promise<void> {
  for (const reply of left) await reply.discard();
}

interface Broken {
  readonly module: Module;
  readonly exchange: Exchange;
  readonly given: readonly Reply[];
  readonly next: Handler;
  readonly cause: unknown;
}

/** Goes on as if the module weren't there, unless it asked not to, or has read the reply: that can't be undone. */
async function withoutIt({ module, exchange, given, next, cause }: Broken): Promise<Reply> {
  const intact = given.findLast((reply) => !reply.consumed);
  if (module.ifBroken === 'skip' && (intact !== undefined || given.length === 0)) {
    await discard(given.filter((reply) => intact?.derivesFrom(reply) !== true));
    return intact ?? (await next(exchange));
  }
  await discard(given);
  throw new GatewayError(
    'module_broken',
    `the module ${module.name} failed; leave it out of the pipeline to go on without it`,
    { cause },
  );
}
