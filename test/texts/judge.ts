import type { Field } from './fields.ts';
import type { Played, Subject, Way } from './subject.ts';
import { textOf, type Unit } from './units.ts';

/** Milliseconds for which a text may hold the event loop, for each megabyte of the call that it is in. */
const heldMsPerMegabyte = 20;
/** The test reports a text that takes twice as long: a busy machine takes longer now and then. */
const usualTolerance = 2;
/** Or so many times what it takes to read and write the text as JSON: that of characters that are escaped is slow by itself. */
const heldJsonTimes = 10;
/** A text that is four times as long may take so many times as much: four, and some for what is measured badly. */
const growthMax = 6;
/** What takes less says nothing: code is compiled and memory collected at any time. */
const cpuMsLeast = 4;
const heldMsLeast = 6;
/** Characters by which it is decided how long a text holds the event loop, where so many may be sent. */
const decidingCharacters = 1024 * 1024;
/** How often something that looks bad is looked at again; the least counts. */
const looks = 3;

/** Why a text of this unit takes too long on its way; undefined where it doesn't. */
export async function faultOf(
  subject: Subject,
  way: Way,
  unit: Unit,
  tolerance = usualTolerance,
): Promise<string | undefined> {
  const [less, more] = way.field.sizes;
  const small = await subject.measure(way, textOf(unit, less));
  const large = await subject.measure(way, textOf(unit, more));
  if (small === undefined || large === undefined)
    return `${small === undefined ? less : more} characters didn't come to an end`;
  const grows = isGrowth(small, large, subject.slowness);
  const holds = large.heldMs > heldMsMax(large, textOf(unit, more), subject.slowness * tolerance);
  return (
    (grows ? await growthOf(subject, way, unit) : undefined) ??
    (holds ? await holdOf(subject, way, unit, tolerance) : undefined)
  );
}

function isGrowth(small: Played, large: Played, slowness: number): boolean {
  return large.cpuMs > growthMax * Math.max(small.cpuMs, cpuMsLeast * slowness);
}

function heldMsMax({ megabytes }: Played, text: string, slowness: number): number {
  const byLength = heldMsPerMegabyte * megabytes * slowness;
  return Math.max(heldMsLeast * slowness, byLength, heldJsonTimes * jsonMs(text));
}

function jsonMs(text: string): number {
  const start = process.threadCpuUsage();
  JSON.parse(JSON.stringify(text));
  const { user, system } = process.threadCpuUsage(start);
  return (user + system) / 1000;
}

async function growthOf(subject: Subject, way: Way, unit: Unit): Promise<string | undefined> {
  const [less, more] = way.field.sizes;
  const small = await leastOf(subject, way, textOf(unit, less));
  const large = await leastOf(subject, way, textOf(unit, more));
  if (small === undefined || large === undefined) return "didn't come to an end";
  if (!isGrowth(small, large, subject.slowness)) return undefined;
  return `${less} characters take ${told(small.cpuMs)} of the processor, ${more} take ${told(large.cpuMs)}`;
}

async function holdOf(
  subject: Subject,
  way: Way,
  unit: Unit,
  tolerance: number,
): Promise<string | undefined> {
  const characters = decidingSize(way.field);
  const text = textOf(unit, characters);
  const least = await leastOf(subject, way, text);
  if (least === undefined) return `${characters} characters didn't come to an end`;
  const slowness = await subject.measureSlowness();
  if (least.heldMs <= heldMsMax(least, text, slowness * tolerance)) return undefined;
  return `${least.megabytes.toFixed(2)} MB hold the event loop for ${told(least.heldMs)}, on a machine that takes ${slowness.toFixed(2)} times as long as the usual one`;
}

function decidingSize({ sizes: [, more] }: Field): number {
  return more < 100_000 ? more : decidingCharacters;
}

async function leastOf(subject: Subject, way: Way, text: string): Promise<Played | undefined> {
  let least: Played | undefined;
  for (let look = 0; look < looks; look++) {
    const next = await subject.measure(way, text);
    if (next === undefined) return undefined;
    least = {
      ...next,
      cpuMs: Math.min(next.cpuMs, least?.cpuMs ?? Infinity),
      heldMs: Math.min(next.heldMs, least?.heldMs ?? Infinity),
    };
  }
  return least;
}

function told(ms: number): string {
  return `${ms.toFixed(1)} ms`;
}
