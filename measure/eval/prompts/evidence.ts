import { join } from 'node:path';
import { promptOptimizer } from '../../../src/modules/prompt-optimizer/prompt-optimizer.ts';
import { runModule } from '../../../src/testing/run-module.ts';
import { rowsOf } from '../memory/rows.ts';
import { answered } from '../memory/simulated.ts';

interface FidelityCase {
  readonly question: string;
  readonly content: unknown;
  readonly answer_evidence: readonly string[];
  readonly supporting_facts: readonly string[];
}

/** How much of what answers a question is still in the request, if the content is the indented result of a tool. */
export async function evidenceIn(folder: string) {
  const sums = { pieces: 0, kept: 0, before: 0, after: 0 };
  const run = runModule(promptOptimizer, { options: 'holdout=0', upstream: answered });
  for (const one of rowsOf<FidelityCase>(join(folder, 'headroom', 'fidelity.jsonl'))) {
    const content = typeof one.content === 'string' ? one.content : JSON.stringify(one.content, null, 2);
    const { sent } = await run({
      model: 'demo-1',
      messages: [
        { role: 'user', content: one.question },
        {
          role: 'assistant',
          content: [{ type: 'tool_use', id: 'a', name: 'search_logs', input: { query: 'all' } }],
        },
        { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'a', content }] },
      ],
    });
    const text = JSON.stringify(sent[0]?.messages.at(-1));
    const pieces = [...one.answer_evidence, ...one.supporting_facts];
    sums.pieces += pieces.length;
    sums.kept += pieces.filter((piece) =>
      text.includes(JSON.stringify(JSON.stringify(piece)).slice(3, -3)),
    ).length;
    sums.before += content.length;
    sums.after += text.length;
  }
  return sums;
}
