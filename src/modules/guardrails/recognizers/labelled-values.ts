import type { PersonalKind } from '../finding.ts';
import { byFormat, bySurroundings, type PatternFindings } from './pattern-findings.ts';

/** A value that is known by the word before it: the expression begins with that word and ends with the value, its last group. */
interface LabelledValue {
  readonly kind: PersonalKind;
  /** The first three characters of the words, between commas. */
  readonly beginnings: string;
  readonly expression: RegExp;
}

const labelledValues: readonly LabelledValue[] = [
  {
    kind: 'PASSPORT',
    beginnings: 'pas,rei',
    expression:
      /(?:passports?|reisepass(?:nummer)?|passeport|pasaporte|passaporte|paspoort(?:nummer)?|paszport\w?)\b(?!\.\w)[^\n;\d]{0,30}?[\s:#"']([a-z]{0,3}\d{6,9}[a-z]?|(?=[a-z]{1,3}\d)[a-z\d]{8,9})(?![\w-])/iy,
  },
  {
    kind: 'DRIVER_LICENSE',
    beginnings: 'dri,dl ,dl#,dl:,per,lic,pat,rij,car,füh',
    expression:
      /(?:driv(?:er|ing)(?:['’]?s)? licen[cs]e|dl(?= ?(?:#|no|number|:))|permis de conduire|licencia de conducir|patente(?: di guida)?|rijbewijs(?:nummer)?|carteira de motorista|führerschein(?:nummer)?)\b[^\n;\d]{0,30}?[\s:#"']([a-z]{0,5}\d[a-z\d]{3,18}|[a-z]?\d{2,4}(?:-\d{2,8}){1,3})(?![\w-])/iy,
  },
  {
    kind: 'DATE_OF_BIRTH',
    beginnings: 'bor,bir,dat,dob,d.o,geb,né ,née,fec,nac,nas,nat,föd,fød,uro',
    expression:
      /(?:born|birth(?:day|[ -]?date)|dat[eao] (?:of birth|de naissance|di nascita|de nascimento|urodzenia)|d\.?o\.?b|geb\.|geboren|geburtsdatum|geboortedatum|née?|nacid[oa]|fecha de nacimiento|nascid[oa]|nat[oa] il|född|født|urodzon[ya])[^\p{L}\n;\d][^\n;\d]{0,25}?(\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./]\d{2,4}|\d{1,2}(?:st|nd|rd|th|\.)? (?:of |de )?\p{L}{3,10}\.?,? (?:de |del )?\d{4}|(?<!\p{L})\p{L}{3,10}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4})(?!\d)/iuy,
  },
  {
    kind: 'COORDINATES',
    beginnings: 'lat,lon,lng,coo,gps,geo,loc',
    expression:
      /(?:lat(?:itude)?|lon(?:g(?:itude)?)?|lng|coord(?:inate)?s?|gps|geo|location)(?![\w-])[^\n;\d-]{0,12}?(-?\d{1,3}\.\d{3,15}(?:, ?-?\d{1,3}\.\d{3,15})?)(?![\w.])/iy,
  },
];

const byBeginning = new Map<number, readonly LabelledValue[]>();
for (const value of labelledValues)
  for (const beginning of value.beginnings.split(',')) {
    const key = beginningAt(beginning, 0);
    byBeginning.set(key, [...(byBeginning.get(key) ?? []), value]);
  }

/** The first three characters of the words. */
export const labelBeginnings: readonly string[] = labelledValues.flatMap(({ beginnings }) =>
  beginnings.split(','),
);

function beginningAt(text: string, at: number): number {
  return (
    ((text.charCodeAt(at) | 32) * 512 + (text.charCodeAt(at + 1) | 32)) * 512 + (text.charCodeAt(at + 2) | 32)
  );
}

/** The value behind the label that begins at this place. */
export function labelledValueAt(text: string, at: number, found: PatternFindings): void {
  const values = byBeginning.get(beginningAt(text, at));
  if (values === undefined) return;
  for (const { kind, expression } of values) {
    if (!found.wants(kind)) continue;
    expression.lastIndex = at;
    const value = expression.exec(text)?.[1];
    if (value === undefined) continue;
    const end = expression.lastIndex;
    found.add({ start: end - value.length, end, kind }, bySurroundings);
  }
}

const mapPosition = /@(-?\d{1,2}\.\d{4,15},-?\d{1,3}\.\d{4,15})(?!\d)/y;
const degrees =
  /-?\d{1,3}(?:\.\d{1,10})?° ?(?:\d{1,2}(?:\.\d{1,6})?['′’] ?(?:\d{1,2}(?:\.\d{1,6})?(?:"|″|”|'') ?)?)?[NS]?[,; ]{1,3}-?\d{1,3}(?:\.\d{1,10})?° ?(?:\d{1,2}(?:\.\d{1,6})?['′’] ?(?:\d{1,2}(?:\.\d{1,6})?(?:"|″|”|'') ?)?)?[EW]?(?!\w)/y;

/** A position in the address of a map, at its `@`. */
export function mapPositionAt(text: string, at: number, found: PatternFindings): void {
  mapPosition.lastIndex = at;
  if (mapPosition.test(text))
    found.add({ start: at + 1, end: mapPosition.lastIndex, kind: 'COORDINATES' }, byFormat);
}

/** Latitude and longitude in degrees, around the first of their signs. */
export function degreesAround(text: string, sign: number, found: PatternFindings): void {
  const start = startOfDegrees(text, sign);
  degrees.lastIndex = start;
  if (degrees.test(text)) found.add({ start, end: degrees.lastIndex, kind: 'COORDINATES' }, byFormat);
}

/** The first digit of the number before a sign. */
export function startOfDegrees(text: string, sign: number): number {
  let start = sign;
  while (sign - start < 15 && /[\d.-]/.test(text.charAt(start - 1))) start--;
  return start;
}
