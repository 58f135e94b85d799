// What the guardrails find and what they mistake: npm run eval:guardrails -- --data <folder> [--only pii|entities|secrets|alarms|injection|profanity|smuggling|cost] [--misses]
import { existsSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { reportAlarms } from './guardrails/alarms.ts';
import { reportCost } from './guardrails/cost.ts';
import { reportEntities } from './guardrails/entities.ts';
import { reportInjection } from './guardrails/injection.ts';
import { reportPersonalData } from './guardrails/personal-data.ts';
import { reportProfanity } from './guardrails/profanity.ts';
import { reportSecrets } from './guardrails/secrets.ts';
import { reportSmuggling } from './guardrails/smuggling.ts';

/** Each reports one part. `data` is the folder of all data sets, `showsMisses` lists every wrong result. */
const parts: Readonly<Record<string, (data: string, showsMisses: boolean) => void | Promise<void>>> = {
  pii: reportPersonalData,
  entities: reportEntities,
  secrets: reportSecrets,
  alarms: reportAlarms,
  injection: reportInjection,
  smuggling: reportSmuggling,
  profanity: reportProfanity,
  cost: reportCost,
};

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    only: { type: 'string' },
    misses: { type: 'boolean', default: false },
  },
});

if (values.data === undefined || !existsSync(values.data))
  console.log(`skipped: there is no data at ${values.data ?? '--data <folder>'}`);
else
  for (const [name, report] of Object.entries(parts))
    if (values.only === undefined || values.only === name) await report(values.data, values.misses);
