import type { ModuleInfo } from '../../api/queries.ts';
import { Field, Input, Select } from '../controls.tsx';
import { count } from '../format.ts';
import { Marked } from '../marked.tsx';
import { ListField } from './list-field.tsx';

interface OptionSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly OptionSchema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  /** Of a text that lists names. */
  readonly separator?: string;
  /** The names that exist. */
  readonly values?: readonly string[];
}

interface OptionsFormProps {
  readonly info: ModuleInfo;
  readonly values: Readonly<Record<string, string>>;
  readonly onChange: (values: Readonly<Record<string, string>>) => void;
}

/** Made from what the module says of its options; one that is left empty is left to the module. */
export function OptionsForm({ info, values, onChange }: OptionsFormProps) {
  const properties = Object.entries((info.options.properties ?? {}) as Record<string, OptionSchema>);
  const set = (name: string, value: string) => {
    const { [name]: _, ...rest } = values;
    onChange(value === '' ? rest : { ...rest, [name]: value });
  };
  return (
    <div className="flex min-w-0 flex-col gap-3">
      <p className="text-sm text-muted">{info.purpose}</p>
      {properties.length === 0 && <p className="text-sm text-muted">It has no options.</p>}
      <div className="grid gap-3 md:grid-cols-2">
        {properties.map(([name, schema]) => {
          const { separator, values: names } = schema;
          if (separator !== undefined)
            return (
              <ListField
                key={name}
                label={name}
                hint={<Marked text={hintOf(schema)} />}
                list={{ separator, names, usual: usualOf(schema) }}
                value={values[name] ?? ''}
                onChange={(value) => set(name, value)}
              />
            );
          return (
            <Field key={name} label={name} hint={<Marked text={hintOf(schema)} />}>
              {(field) => (
                <Option
                  field={field}
                  schema={schema}
                  value={values[name] ?? ''}
                  onChange={(value) => set(name, value)}
                />
              )}
            </Field>
          );
        })}
      </div>
    </div>
  );
}

/** What it does, its limits if the description has none, and the default. */
function hintOf(schema: OptionSchema): string {
  const { description = '', minimum, maximum, enum: names, values, default: usual } = schema;
  const isLimited = minimum !== undefined && maximum !== undefined && !/\d/.test(description);
  const limits = isLimited ? `from ${count(minimum)} to ${count(maximum)}` : '';
  const isShown =
    (names ?? values) !== undefined || usual === undefined || usual === '' || description.includes('default');
  const preset = isShown ? '' : `default \`${usual}\``;
  return [description, limits, preset].filter((part) => part !== '').join('; ');
}

interface OptionProps {
  readonly field: { readonly id: string; readonly 'aria-describedby': string | undefined };
  readonly schema: OptionSchema;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function usualOf({ default: usual }: OptionSchema): string {
  return usual === undefined ? '' : String(usual);
}

function Option({ field, schema, value, onChange }: OptionProps) {
  const usual = usualOf(schema);
  if (schema.enum !== undefined)
    return (
      <Select {...field} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{usual === '' ? 'Not set' : `${usual} (default)`}</option>
        {schema.enum.map((one) => (
          <option key={String(one)} value={String(one)}>
            {String(one)}
          </option>
        ))}
      </Select>
    );
  const isNumber = schema.type === 'integer' || schema.type === 'number';
  return (
    <Input
      {...field}
      {...(isNumber && {
        type: 'number',
        min: schema.minimum,
        max: schema.maximum,
        step: schema.type === 'integer' ? 1 : 'any',
      })}
      value={value}
      placeholder={usual}
      onChange={(event) => onChange(event.target.value)}
    />
  );
}
