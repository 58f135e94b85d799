import type { JsonObject } from '../../../src/lib/json.ts';
import { objectOf } from '../../../src/wire/json-values.ts';
import { Findings } from './findings.ts';
import { type Format, formats } from './formats.ts';
import { judge } from './judged-call.ts';
import { outcomeOf } from './outcome.ts';
import { providerFor, questionFor } from './question.ts';
import type { Recording } from './recordings.ts';
import { chatRefusals } from './refusals/chat.ts';
import { geminiRefusals } from './refusals/gemini.ts';
import { secretsIn, thoughtFieldsIn } from './secrets.ts';
import { plainAnswers, play, type Stage, startStage } from './stage.ts';
import { type Target, targets } from './targets.ts';

/** Every recorded answer, given back by a client of another format: to the model it came from, and to another one. */
export async function judgeSecondTurns(recordings: readonly Recording[]): Promise<Findings> {
  const findings = new Findings('Second turns, as providers of other formats get them');
  const stage = await startStage();
  for (const [at, recording] of recordings.entries()) {
    const wanted = outcomeOf(recording);
    if ('error' in wanted) {
      findings.count('excluded', 'answers that are errors, which nobody continues');
      continue;
    }
    if (wanted.facts.calls.some(({ input }) => typeof input === 'string')) {
      findings.count('excluded', 'answers that break off in the middle of a call, which nobody continues');
      continue;
    }
    for (const client of formats)
      if (client !== recording.format) {
        const home = homeOf(recording, client);
        const first = questionFor(recording, client, wanted);
        const asked = { ...first, model: `${home.provider}/${modelIn(first)}` };
        const answer = await answerTo(stage, recording, client, asked);
        if (answer === undefined) continue;
        const body = client.continued(asked, answer);
        await backHome(stage, { recording, client, target: home, body }, findings);
        const [away] = othersFor(client, home).slice(at % othersFor(client, home).length);
        if (away !== undefined) await elsewhere(stage, { recording, client, target: away, body }, findings);
      }
  }
  await stage.close();
  return findings;
}

interface Turn {
  readonly recording: Recording;
  readonly client: Format;
  readonly target: Target;
  readonly body: JsonObject;
}

/** Thoughts go back in the provider's own field or not at all, and what it signed goes back as it was. */
async function backHome(stage: Stage, turn: Turn, findings: Findings): Promise<void> {
  const { recording, client, target } = turn;
  play(stage, recording);
  const judged = await judge(stage, turn, findings);
  if (judged === undefined) return;
  const faults = [...judged.faults];
  const { got } = judged;
  if (got !== undefined) {
    const sent = got.bytes.toString('utf8');
    const lost = secretsIn(recording).filter((secret) => !sent.includes(JSON.stringify(secret).slice(1, -1)));
    if (lost.length > 0)
      faults.push(`signed or encrypted reasoning is missing: ${JSON.stringify(lost).slice(0, 200)}`);
    const own = thoughtFieldsIn(recording);
    const other = Object.keys(thoughtFields(got.body)).filter(
      (field) => own.length > 0 && !own.includes(field),
    );
    if (other.length > 0 && target.provider !== 'recorded')
      faults.push(`thoughts in a field that is not the provider's: ${JSON.stringify([own, other])}`);
  }
  findings.judged(`${client.wire.name} → ${target.provider}, again`, recording.id, faults);
}

/** Another provider gets nothing that only the first one can read. */
async function elsewhere(stage: Stage, turn: Turn, findings: Findings): Promise<void> {
  const { recording, client, target } = turn;
  stage.fake.answerWith(plainAnswers);
  const model = `${target.provider}/${target.model}`;
  const judged = await judge(stage, { ...turn, body: { ...turn.body, model } }, findings);
  if (judged === undefined) return;
  const sent = judged.got?.bytes.toString('utf8') ?? '';
  const leaked = secretsIn(recording).filter((secret) => sent.includes(JSON.stringify(secret).slice(1, -1)));
  const sameMaker = recording.provider === target.provider || /claude|^arn:/.test(target.model);
  const faults = [...judged.faults];
  if (leaked.length > 0 && !sameMaker) faults.push('reasoning signed or encrypted by another provider');
  findings.judged(`${client.wire.name} → ${model}, from elsewhere`, recording.id, faults);
}

function thoughtFields(body: JsonObject): JsonObject {
  const fields: Record<string, unknown> = {};
  for (const message of Array.isArray(body.messages) ? body.messages : [])
    for (const field of ['reasoning_content', 'reasoning'])
      if (objectOf(message)?.[field] != null) fields[field] = true;
  return fields;
}

async function answerTo(
  stage: Stage,
  recording: Recording,
  client: Format,
  body: JsonObject,
): Promise<JsonObject | undefined> {
  play(stage, recording);
  const sending = client.sent(body);
  const response = await fetch(stage.weir.url + sending.path, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(sending.body),
  });
  const text = await response.text();
  return response.ok ? objectOf(JSON.parse(text)) : undefined;
}

/** The provider it was recorded from, where that doesn't speak the client's format as well. */
function homeOf(recording: Recording, client: Format): Target {
  const { api } = recording.format;
  const provider = providerFor(recording.format, client);
  const model = modelIn(objectOf(recording.body) ?? {});
  const named = api === 'openai.chat' ? recording.provider : provider;
  const known = targets.find((target) => target.provider === named && target.speaks[0] === api);
  if (known !== undefined && !known.speaks.includes(client.api)) return { ...known, model };
  if (provider === 'vertex') return { provider, model, speaks: [api], refusals: geminiRefusals };
  return { provider: 'recorded', model, speaks: [api], refusals: chatRefusals };
}

/** As the question names it, without the provider. */
function modelIn({ model }: JsonObject): string {
  return String(model).replace(/^(recorded|anthropic|openai|gemini|vertex)\//, '');
}

function othersFor(client: Format, home: Target): readonly Target[] {
  return targets.filter(({ provider, speaks }) => provider !== home.provider && !speaks.includes(client.api));
}
