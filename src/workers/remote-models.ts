import { findModelFiles } from '../embeddings/model-files.ts';
import type { ModelsHere } from '../embeddings/model-questions.ts';
import { limits } from '../kernel/limits.ts';
import type { WhyNoVectors } from '../kernel/ports/embeddings.ts';
import type { Peer } from './peer.ts';
import type { PrimaryQuestions } from './questions.ts';

/** Models that the primary process has. What it said last about itself is believed until it says something else. */
export function remoteModels(
  peer: Pick<Peer<object, Pick<PrimaryQuestions, 'askModel'>>, 'askWithin'>,
): ModelsHere {
  let lasting: WhyNoVectors | undefined;
  let installed: boolean | undefined;
  return {
    async ask(question, deadlineMs) {
      try {
        const answer = await peer.askWithin(
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
    why() {
      installed ??= findModelFiles() !== undefined;
      return installed ? lasting : 'missing';
    },
    close: async () => undefined,
  };
}
