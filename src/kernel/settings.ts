import type { z } from 'zod';

/** The variables that are set, by name. */
export type Variables = ReadonlyMap<string, string>;

/** One field of the settings, and how it is read. */
export interface Setting<Value> {
  /** Whether a variable is one of those it is read from. */
  owns(variable: string): boolean;
  read(variables: Variables): Reading<Value>;
}

/** What could be read, and what was wrong; without a fault it is all there. */
interface Reading<Value> {
  readonly value: Value | undefined;
  readonly faults: readonly Fault[];
}

export interface Fault {
  readonly variable: string;
  readonly message: string;
}

/** Settings of one area, by field. */
export type Fields = Readonly<Record<string, Setting<unknown>>>;

export type Values<Area extends Fields> = {
  readonly [Field in keyof Area]: Area[Field] extends Setting<infer Value> ? Value : never;
};

/** A setting that is one variable. */
export function variable<Value>(name: string, schema: z.ZodType<Value>): Setting<Value> {
  return {
    owns: (other) => other === name,
    read(variables) {
      const { data, error } = schema.safeParse(variables.get(name));
      return { value: data, faults: error === undefined ? [] : faultsOf(name, error) };
    },
  };
}

/** A setting with a variable for each name that stands where its pattern has a `*`; the names come in lower case. */
export function namedVariables<Value>(
  pattern: string,
  schema: z.ZodType<Value>,
): Setting<ReadonlyMap<string, Value>> {
  const named = new RegExp(`^${pattern.replace('*', '([A-Z][A-Z0-9]*)')}$`);
  return {
    owns: (variable) => named.test(variable),
    read(all) {
      const value = new Map<string, Value>();
      const faults: Fault[] = [];
      for (const [variable, text] of all) {
        const name = named.exec(variable)?.[1]?.toLowerCase();
        if (name === undefined) continue;
        const { success, data, error } = schema.safeParse(text);
        if (success) value.set(name, data);
        else faults.push(...faultsOf(variable, error));
      }
      return { value, faults };
    },
  };
}

/** A setting that is made of others. */
export function combined<Area extends Fields, Value>(
  fields: Area,
  combine: (values: Values<Area>) => Value,
): Setting<Value> {
  return {
    owns: (variable) => owns(fields, variable),
    read(variables) {
      const { read, faults } = readFields(fields, variables);
      return { value: isWhole(read, faults) ? combine(read) : undefined, faults };
    },
  };
}

/** As much as could be read, and everything that is wrong. */
export function readFields<Area extends Fields>(
  fields: Area,
  variables: Variables,
): { readonly read: Partial<Values<Area>>; readonly faults: readonly Fault[] } {
  const read: Partial<Values<Area>> = {};
  const faults: Fault[] = [];
  for (const [field, setting] of Object.entries(fields)) {
    const reading = setting.read(variables);
    Object.assign(read, { [field]: reading.value });
    faults.push(...reading.faults);
  }
  return { read, faults };
}

/** Nothing is missing where nothing was wrong. */
export function isWhole<Area extends Fields>(
  _read: Partial<Values<Area>>,
  faults: readonly unknown[],
): _read is Values<Area> {
  return faults.length === 0;
}

export function owns(fields: Fields, variable: string): boolean {
  return Object.values(fields).some((setting) => setting.owns(variable));
}

function faultsOf(variable: string, { issues }: z.ZodError): readonly Fault[] {
  return issues.map(({ message }) => ({ variable, message }));
}
