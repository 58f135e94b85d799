import type { JsonObject } from '../../../src/lib/json.ts';
import { objectOf } from '../../../src/wire/json-values.ts';
import { Findings } from './findings.ts';
import { judge } from './judged-call.ts';
import type { Recording } from './recordings.ts';
import { plainAnswers, startStage } from './stage.ts';
import { type Target, targets } from './targets.ts';

/** Every recorded request, sent to models whose providers speak another format. */
export async function judgeRequests(recordings: readonly Recording[]): Promise<Findings> {
  const findings = new Findings('Requests as providers of other formats get them');
  const stage = await startStage();
  stage.fake.answerWith(plainAnswers);
  for (const [at, recording] of distinct(recordings, findings).entries())
    for (const target of oneOfEach(at)) {
      const { format: client } = recording;
      if (target.speaks.includes(client.api)) continue;
      const { stream: _, stream_options: __, ...rest }: JsonObject = objectOf(recording.body) ?? {};
      const body = { ...rest, model: `${target.provider}/${target.model}` };
      const judged = await judge(stage, { recording, client, target, body }, findings);
      const where = `${client.wire.name} → ${target.provider}/${target.model}`;
      if (judged !== undefined) findings.judged(where, recording.id, judged.faults);
    }
  await stage.close();
  return findings;
}

/** Many were recorded with several models, and both streamed and whole: the rest of the request is the same. */
function distinct(recordings: readonly Recording[], findings: Findings): readonly Recording[] {
  const seen = new Set<string>();
  return recordings.filter(({ format, body }) => {
    const { model: _, stream: __, stream_options: ___, ...rest }: JsonObject = objectOf(body) ?? {};
    const said = `${format.api} ${JSON.stringify(rest)}`;
    const known = seen.has(said);
    if (known) findings.count('excluded', 'requests that differ from others in model and stream alone');
    seen.add(said);
    return !known;
  });
}

/** A model of every provider and format, another one each time. */
function oneOfEach(at: number): readonly Target[] {
  const groups = Map.groupBy(targets, ({ provider, speaks }) => `${provider} ${speaks[0]}`);
  return [...groups.values()].flatMap((group) => group[at % group.length] ?? []);
}
