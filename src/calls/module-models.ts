import { type Exchange, requestOriginOf, targetsOf } from '../kernel/exchange.ts';
import type { Kit, ModelRequest, Models, RunOptions } from '../kernel/module.ts';
import type { ModuleContext } from '../kernel/pipeline.ts';
import type { Candidate } from '../kernel/ports/candidates.ts';
import type { Reply } from '../kernel/reply/reply.ts';
import type { Clock } from '../lib/clock.ts';
import { ignoreErrors } from '../lib/ignore-errors.ts';
import { refuseAfterAirgap } from './after-airgap.ts';
import type { CandidateFinder } from './candidates/candidates.ts';
import { TargetHistory } from './candidates/target-history.ts';
import { askModel, type RunModelParts, runModel } from './run-model.ts';

export interface ModuleModelsParts {
  readonly runModel: RunModelParts;
  readonly target: Models['target'];
  readonly candidates: CandidateFinder;
  readonly clock: Clock;
}

/** The models that a module may choose from, and calls of its own, during one call. */
export function createModels(
  parts: ModuleModelsParts,
  context: ModuleContext,
  kit: Pick<Kit<unknown>, 'cache' | 'onBilled' | 'runInBackground'>,
): Models {
  const { execution } = context;
  const { trace } = execution.exchange;
  const handler = context.moduleCallHandler();
  const isOver = () => trace.isAirgapped && trace.isEnded;
  let hasHistory = false;

  const run = async (request: ModelRequest, { target, pipeline }: RunOptions): Promise<Reply> => {
    if (pipeline !== undefined && requestOriginOf(execution.exchange).isModuleCall)
      throw new Error("a module's own call can't run a further pipeline");
    const streamed = { ...request, stream: true };
    const through = context.moduleCallHandler(pipeline);
    return runModel(parts.runModel, { request: streamed, target, execution, handler: through });
  };

  /** The result of this call helps to estimate the cost of the next. */
  const findCandidates = (
    exchange: Exchange,
    models: readonly string[] | undefined,
  ): Promise<readonly Candidate[]> => {
    const history = new TargetHistory(kit.cache);
    if (!hasHistory)
      kit.onBilled((attempts) =>
        kit.runInBackground(() => history.add(exchange.conversation.name, attempts, parts.clock.now())),
      );
    hasHistory = true;
    return parts.candidates.find(exchange, models, history);
  };

  return {
    target: (model) => {
      const finder = targetsOf(execution.exchange);
      return finder === undefined ? parts.target(model) : finder.find(model);
    },
    candidates: (exchange, options) => ignoreErrors(findCandidates(exchange, options?.models)),
    ask: (request, to) =>
      ignoreErrors(
        isOver()
          ? refuseAfterAirgap(trace)
          : askModel(parts.runModel, { request, target: to, execution, handler }),
      ),
    run: (request, options) => ignoreErrors(isOver() ? refuseAfterAirgap(trace) : run(request, options)),
  };
}
