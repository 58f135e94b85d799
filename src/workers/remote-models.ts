import type { InferenceClient } from '../embeddings/inference.ts';
import { findModelFiles } from '../embeddings/model-files.ts';
import type { EmbeddingFailureReason } from '../kernel/ports/embeddings.ts';
import { limits } from './limits.ts';
import type { PrimaryMethods } from './rpc-methods.ts';
import type { RpcPeer } from './rpc-peer.ts';

/** The models of the primary process; caches its last reported state. */
export function createRemoteModels(
  peer: Pick<RpcPeer<object, Pick<PrimaryMethods, 'askModel'>>, 'invokeWithTimeout'>,
): InferenceClient {
  let lasting: EmbeddingFailureReason | undefined;
  let installed: boolean | undefined;
  return {
    async infer(question, deadlineMs) {
      try {
        const answer = await peer.invokeWithTimeout(
          deadlineMs + limits.workerSweepMs,
          'askModel',
          question,
          deadlineMs,
        );
        const why = 'why' in answer ? answer.why : undefined;
        lasting = why === 'missing' || why === 'down' ? why : undefined;
        return answer;
      } catch {
        return { why: 'down' };
      }
    },
    unavailableReason() {
      installed ??= findModelFiles() !== undefined;
      return installed ? lasting : 'missing';
    },
    close: async () => undefined,
  };
}
