/** Reads the gauges of our own from `/metrics`: what is open, waiting or kept. */
export async function readGauges(origin: string): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${origin}/metrics`)).text();
  const names = [...text.matchAll(/^# TYPE (weir_\w+) gauge$/gm)].map(([, name]) => name ?? '');
  return new Map(
    names.flatMap((name) => {
      const value = new RegExp(`^${name} (\\S+)$`, 'm').exec(text)?.[1];
      return value === undefined ? [] : [[name, Number(value)]];
    }),
  );
}
