import type { Embeddings } from '../../kernel/ports/embeddings.ts';
import { type Check, degraded, passed } from '../../telemetry/diagnostics.ts';

/** The process of the local models starts with its first use. */
export function modelsCheck(embeddings: Pick<Embeddings, 'state'>): Check {
  return {
    name: 'models',
    run() {
      const { source, why: whyNot, whyNotLocal } = embeddings.state();
      const why = whyNot ?? whyNotLocal;
      const detail = `${source}: ${why ?? 'ready'}`;
      if (why === undefined || why === 'off' || why === 'starting') return passed(detail);
      return degraded(
        detail,
        'modules that need embeddings or text models are skipped; GET /v1/capabilities has the reason',
      );
    },
  };
}
