import { type Stage, stagesOf, textOf } from './pipeline-text.ts';

interface KnownModule {
  readonly name: string;
  readonly order: number | null;
  readonly protective: boolean;
}

/** The list with the module where it does best: behind all that come earlier. */
export function withModule(text: string, name: string, known: readonly KnownModule[]): string {
  const stages = stagesOf(text);
  if (stages.some((stage) => stage.name === name)) return text;
  const orderOf = (stage: Stage) => known.find((module) => module.name === stage.name)?.order ?? 0;
  const order = known.find((module) => module.name === name)?.order ?? Number.POSITIVE_INFINITY;
  const later = stages.findIndex((stage) => orderOf(stage) > order);
  const at = later < 0 ? stages.length : later;
  return textOf(stages.toSpliced(at, 0, { name, options: {} }));
}

/** `none` if nothing is left. */
export function withoutModule(text: string, name: string): string {
  const left = stagesOf(text).filter((stage) => stage.name !== name);
  return left.length === 0 ? 'none' : textOf(left);
}

/** The modules that calls of a key pass: those of its own list or else the gateway's, and the gateway's protective ones. */
export function modulesOfKey(
  own: string | null,
  gateway: { readonly pipeline: string; readonly source: string },
  known: readonly KnownModule[],
): ReadonlySet<string> {
  const names = (text: string) => stagesOf(text).map(({ name }) => name);
  if (own === null) return new Set(names(gateway.pipeline));
  return new Set([...names(own), ...fixedModules(gateway, known)]);
}

/** Protective modules of the gateway, which no key can switch off. The built-in default fixes nothing. */
export function fixedModules(
  { pipeline, source }: { readonly pipeline: string; readonly source: string },
  known: readonly KnownModule[],
): readonly string[] {
  if (source === 'default') return [];
  const isProtective = (name: string) => known.some((module) => module.name === name && module.protective);
  return stagesOf(pipeline)
    .map(({ name }) => name)
    .filter(isProtective);
}
