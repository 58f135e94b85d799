import type { z } from 'zod';

/** The environment variables that are set, by name. */
export type Variables = ReadonlyMap<string, string>;

/** One field of the settings and how it is parsed. */
export interface Setting<Value> {
  /** The variables it is read from; a `*` stands for any name. */
  readonly variables: readonly string[];
  /** Where the configuration file has these variables. */
  readonly places: readonly SettingPlace[];
  /** Whether a variable is one of those it is read from. */
  owns(variable: string): boolean;
  read(variables: Variables): SettingResult<Value>;
}

/** Where the configuration file has a variable, and in what form. */
export interface SettingPlace extends PlaceOptions {
  readonly variable: string;
  /** Of the variable's text. */
  readonly schema: z.ZodType;
}

export interface PlaceOptions {
  /** The path in the file, such as `log.level`; a `*` stands for the same name as in the variable. */
  readonly at: string;
  /** For values that a variable has as one text; by default the text, number or choice of the schema. */
  readonly form?: 'list' | 'keys' | 'map' | 'headers' | 'document';
  /** Of a document in the file, for editors. */
  readonly document?: z.ZodType;
  /** Never shown. */
  readonly isSecret?: true;
}

/** The parsed value and all issues; without issues the value is complete. */
interface SettingResult<Value> {
  readonly value: Value | undefined;
  readonly issues: readonly SettingIssue[];
}

export interface SettingIssue {
  readonly variable: string;
  /** Within a value that is a document. */
  readonly path?: readonly PropertyKey[];
  readonly message: string;
}

/** The settings of one area, by field. */
export type SettingFields = Readonly<Record<string, Setting<unknown>>>;

export type SettingValues<Area extends SettingFields> = {
  readonly [Field in keyof Area]: Area[Field] extends Setting<infer Value> ? Value : never;
};

/** A setting from one variable. Without a place it can't be in the configuration file. */
export function envVariable<Value>(
  name: string,
  schema: z.ZodType<Value>,
  place?: string | PlaceOptions,
): Setting<Value> {
  return {
    variables: [name],
    places: placesOf(name, schema, place),
    owns: (other) => other === name,
    read(variables) {
      const { data, error } = schema.safeParse(variables.get(name));
      return { value: data, issues: error === undefined ? [] : issuesOf(name, error) };
    },
  };
}

/** A setting from variables whose names match a pattern with a `*`; the matched names are lower-cased. */
export function envVariablesByName<Value>(
  pattern: string,
  schema: z.ZodType<Value>,
  place?: string | PlaceOptions,
): Setting<ReadonlyMap<string, Value>> {
  const named = new RegExp(`^${pattern.replace('*', '([A-Z][A-Z0-9-]*)')}$`);
  return {
    variables: [pattern],
    places: placesOf(pattern, schema, place),
    owns: (variable) => named.test(variable),
    read(all) {
      const value = new Map<string, Value>();
      const issues: SettingIssue[] = [];
      for (const [variable, text] of all) {
        const name = named.exec(variable)?.[1]?.toLowerCase();
        if (name === undefined) continue;
        const { success, data, error } = schema.safeParse(text);
        if (success) value.set(name, data);
        else issues.push(...issuesOf(variable, error));
      }
      return { value, issues };
    },
  };
}

/** A setting combined from others. */
export function combineSettings<Area extends SettingFields, Value>(
  fields: Area,
  combine: (settingValues: SettingValues<Area>) => Value,
): Setting<Value> {
  return {
    variables: Object.values(fields).flatMap(({ variables }) => variables),
    places: Object.values(fields).flatMap(({ places }) => places),
    owns: (variable) => ownsVariable(fields, variable),
    read(variables) {
      const { read, faults: issues } = readSettingFields(fields, variables);
      return { value: isComplete(read, issues) ? combine(read) : undefined, issues };
    },
  };
}

/** Everything that could be parsed, and all issues. */
export function readSettingFields<Area extends SettingFields>(
  fields: Area,
  variables: Variables,
): { readonly read: Partial<SettingValues<Area>>; readonly faults: readonly SettingIssue[] } {
  const read: Partial<SettingValues<Area>> = {};
  const faults: SettingIssue[] = [];
  for (const [field, setting] of Object.entries(fields)) {
    const settingResult = setting.read(variables);
    Object.assign(read, { [field]: settingResult.value });
    faults.push(...settingResult.issues);
  }
  return { read, faults };
}

/** Without issues, all fields are there. */
export function isComplete<Area extends SettingFields>(
  _read: Partial<SettingValues<Area>>,
  faults: readonly unknown[],
): _read is SettingValues<Area> {
  return faults.length === 0;
}

export function ownsVariable(fields: SettingFields, variable: string): boolean {
  return Object.values(fields).some((setting) => setting.owns(variable));
}

function placesOf(
  variable: string,
  schema: z.ZodType,
  place: string | PlaceOptions | undefined,
): readonly SettingPlace[] {
  if (place === undefined) return [];
  return [{ variable, schema, ...(typeof place === 'string' ? { at: place } : place) }];
}

function issuesOf(variable: string, { issues }: z.ZodError): readonly SettingIssue[] {
  return issues.map(({ message, path }) => ({ variable, message, ...(path.length > 0 && { path }) }));
}
