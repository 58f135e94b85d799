import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import type { ModulePageInfo } from '../../api/queries.ts';
import { Button, Field, Input, Select } from '../../parts/controls.tsx';
import { Dialog } from '../../parts/dialog.tsx';
import { Failure } from '../../parts/states.tsx';
import { type Row, requestPath, sendRequest } from './rows.ts';

type Action = NonNullable<ModulePageInfo['create']>;

interface FieldSchema {
  readonly type?: string;
  readonly enum?: readonly unknown[];
  readonly title?: string;
  readonly description?: string;
}

interface ActionFormProps {
  readonly action: Action & { readonly schema: NonNullable<Action['schema']> };
  readonly row: Row;
  readonly onClose: () => void;
  readonly onDone: () => Promise<void>;
}

/** A form from the JSON Schema of a body. Fields that are left empty are left out. */
export function ActionForm({ action, row, onClose, onDone }: ActionFormProps) {
  const properties = Object.entries((action.schema.properties ?? {}) as Record<string, FieldSchema>);
  const required = new Set((action.schema.required ?? []) as readonly string[]);
  const [values, setValues] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(
      properties.flatMap(([name]) => (row[name] == null ? [] : [[name, String(row[name])]])),
    ),
  );
  const sending = useMutation({
    mutationFn: () =>
      sendRequest(
        action.method,
        requestPath(action.path, { ...row, ...values }),
        Object.fromEntries(
          properties.flatMap(([name, schema]) =>
            values[name] === undefined || values[name] === '' ? [] : [[name, parse(values[name], schema)]],
          ),
        ),
      ),
    onSuccess: async () => {
      await onDone();
      onClose();
    },
  });
  return (
    <Dialog open onClose={onClose} title={action.title} lead={action.confirm}>
      <form
        className="flex flex-col gap-4"
        onSubmit={(event) => {
          event.preventDefault();
          sending.mutate();
        }}
      >
        {properties.map(([name, schema]) => (
          <Field key={name} label={schema.title ?? name} hint={schema.description}>
            {(field) => {
              const shared = {
                ...field,
                required: required.has(name),
                value: values[name] ?? '',
                onChange: ({ target }: { readonly target: { readonly value: string } }) =>
                  setValues({ ...values, [name]: target.value }),
              };
              const choices = schema.type === 'boolean' ? ['true', 'false'] : schema.enum?.map(String);
              if (choices === undefined)
                return <Input {...shared} type={isNumber(schema) ? 'number' : 'text'} step="any" />;
              return (
                <Select {...shared}>
                  {['', ...choices].map((choice) => (
                    <option key={choice} value={choice}>
                      {choice}
                    </option>
                  ))}
                </Select>
              );
            }}
          </Field>
        ))}
        {sending.error !== null && <Failure error={sending.error} />}
        <div className="flex justify-end gap-2">
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" busy={sending.isPending}>
            {action.title}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}

function isNumber({ type }: FieldSchema): boolean {
  return type === 'number' || type === 'integer';
}

function parse(value: string, schema: FieldSchema): unknown {
  if (isNumber(schema)) return Number(value);
  return schema.type === 'boolean' ? value === 'true' : value;
}
