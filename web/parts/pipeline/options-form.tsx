import type { ModuleInfo } from '../../api/queries.ts';
import { Field, Input, Select } from '../controls.tsx';
import { Marked } from '../marked.tsx';

interface OptionSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly OptionSchema[];
  readonly default?: unknown;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
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
        {properties.map(([name, schema]) => (
          <Field
            key={name}
            label={name}
            hint={schema.description === undefined ? undefined : <Marked text={schema.description} />}
          >
            {(field) => (
              <Option
                field={field}
                schema={schema}
                value={values[name] ?? ''}
                onChange={(value) => set(name, value)}
              />
            )}
          </Field>
        ))}
      </div>
    </div>
  );
}

interface OptionProps {
  readonly field: { readonly id: string; readonly 'aria-describedby': string | undefined };
  readonly schema: OptionSchema;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

function Option({ field, schema, value, onChange }: OptionProps) {
  const usual = schema.default === undefined ? '' : String(schema.default);
  if (schema.enum !== undefined)
    return (
      <Select {...field} value={value} onChange={(event) => onChange(event.target.value)}>
        <option value="">{usual === '' ? 'left to the module' : `${usual} (usual)`}</option>
        {schema.enum.map((one) => (
          <option key={String(one)} value={String(one)}>
            {String(one)}
          </option>
        ))}
      </Select>
    );
  return (
    <Input {...field} value={value} placeholder={usual} onChange={(event) => onChange(event.target.value)} />
  );
}
