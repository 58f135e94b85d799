import { queryStemsOf } from '../../module-api.ts';

/** Whether texts about anything have this word, so that it hardly says what a text is about. */
export function isEveryday(stem: string): boolean {
  return everydayStems.has(stem);
}

const everydayStems: ReadonlySet<string> = new Set(
  queryStemsOf(
    `able again all also always am amazing another anyone anything ask ate awesome back bad being best better big both bye came
    care come cool currently day different don done doesn down each eat else enjoy even ever every everyone everything favorite feel felt few find first found fun
    gave get give glad go going good got great happen happy hard hello help here hey hi him hope isn just keep kind
    knew know lately later left let life like little long look lot love made make many me mean mind more most much must
    name need never new next nice no now number off often ok okay old one only other out over own part people person
    place plan please point put read really recently right same saw say see seem send sent set show small someone something sometimes soon sort
    start still stop such sure take talk tell than thank thanks them these thing things think those though thought time
    today together told too took tried try turn two type up us use used usually very want wasn way week well went which
    while work wow year yeah yes yet`,
  ),
);
