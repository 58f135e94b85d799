import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { McpServer } from '../../api/queries.ts';
import { Choice, Field, Input, Select, Switch, TextArea } from '../../parts/controls.tsx';
import { FormDialog, NameField } from '../../parts/form-dialog.tsx';
import { definitionOf, type ServerKind, type ServerTexts, textsOf } from './server-texts.ts';
import { useServersChanged } from './use-servers-changed.ts';

interface EditServerProps {
  /** Accounts of a gateway in cloud mode start no programs. */
  readonly isCloud: boolean;
  /** Undefined for a new one. */
  readonly server?: McpServer;
  readonly onClose: () => void;
}

type Change = (change: Partial<ServerTexts>) => void;

export function EditServer({ isCloud, server, onClose }: EditServerProps) {
  const [name, setName] = useState(server?.name ?? '');
  const [texts, setTexts] = useState(() => textsOf(server));
  const change: Change = (changed) => setTexts({ ...texts, ...changed });
  const saving = useMutation({
    mutationFn: () =>
      told(
        api.PUT('/v1/mcp/servers/{name}', { params: { path: { name } }, body: definitionOf(texts, server) }),
      ),
    onSuccess: useServersChanged(onClose),
  });
  const { kind } = texts;
  return (
    <FormDialog
      title={server === undefined ? 'Add an MCP server' : `MCP server ${server.name}`}
      lead="Only this account can use it."
      action={server === undefined ? 'Add' : 'Save'}
      isIncomplete={name === '' || isIncomplete(texts, server)}
      saving={saving}
      onClose={onClose}
    >
      {server === undefined && (
        <>
          <NameField
            hint="Stands in front of its tools: lower case letters, digits and hyphens."
            value={name}
            onChange={setName}
          />
          <Choice<ServerKind>
            label="Kind"
            value={kind}
            options={isCloud ? kinds.filter(([one]) => one !== 'program') : kinds}
            onChange={(chosen) => change({ kind: chosen })}
          />
        </>
      )}
      {kind === 'http' && <HttpFields texts={texts} onChange={change} />}
      {kind === 'program' && <ProgramFields texts={texts} onChange={change} />}
      {kind === 'openapi' && <ApiFields texts={texts} isNew={server === undefined} onChange={change} />}
      <Field
        label="Tools"
        hint="One in each line, * stands for any characters, ! in front leaves tools out. Empty for all."
      >
        {(field) => (
          <TextArea
            {...field}
            rows={3}
            value={texts.tools}
            onChange={({ target }) => change({ tools: target.value })}
          />
        )}
      </Field>
      <div className="flex items-center gap-2 text-sm">
        <Switch label="In use" isOn={texts.isEnabled} onChange={(isEnabled) => change({ isEnabled })} />
        <span aria-hidden>In use</span>
      </div>
    </FormDialog>
  );
}

const kinds: readonly (readonly [ServerKind, string])[] = [
  ['http', 'Address'],
  ['openapi', 'OpenAPI'],
  ['program', 'Program'],
];

function isIncomplete(
  { kind, address, command, document, documentUrl }: ServerTexts,
  server?: McpServer,
): boolean {
  if (kind === 'http') return address.trim() === '';
  if (kind === 'program') return command.trim() === '';
  return server === undefined && document.trim() === '' && documentUrl.trim() === '';
}

interface FieldsProps {
  readonly texts: ServerTexts;
  readonly onChange: Change;
}

function HttpFields({ texts, onChange }: FieldsProps) {
  return (
    <>
      <AddressField
        texts={texts}
        hint="With a new host, store the values of its headers again."
        onChange={onChange}
      />
      <Field label="Authorization">
        {(field) => (
          <Select
            {...field}
            value={texts.authorization}
            onChange={({ target: { value } }) => {
              if (value === 'none' || value === 'headers' || value === 'person')
                onChange({ authorization: value });
            }}
          >
            <option value="headers">Headers that are stored here, for everybody</option>
            <option value="person">Each person authorizes the gateway at the server</option>
            <option value="none">None</option>
          </Select>
        )}
      </Field>
      <SecretsField
        label="Headers"
        hint="One in each line, such as authorization: Bearer …. A line without a value keeps the stored one."
        texts={texts}
        onChange={onChange}
      />
    </>
  );
}

function ProgramFields({ texts, onChange }: FieldsProps) {
  return (
    <>
      <Field label="Program" hint="The command in the first line, each argument in one of its own.">
        {(field) => (
          <TextArea
            {...field}
            rows={4}
            placeholder={'npx\n-y\n@acme/weather-mcp'}
            value={texts.command}
            onChange={({ target }) => onChange({ command: target.value })}
          />
        )}
      </Field>
      <SecretsField
        label="Variables"
        hint="One in each line, such as API_KEY=…. A line without a value keeps the stored one."
        texts={texts}
        onChange={onChange}
      />
    </>
  );
}

function ApiFields({ texts, isNew, onChange }: FieldsProps & { readonly isNew: boolean }) {
  return (
    <>
      <Field label="Address of the description" hint="An OpenAPI document, which is fetched once, now.">
        {(field) => (
          <Input
            {...field}
            placeholder="https://api.example.com/openapi.json"
            autoComplete="off"
            spellCheck={false}
            value={texts.documentUrl}
            onChange={({ target }) => onChange({ documentUrl: target.value })}
          />
        )}
      </Field>
      <Field
        label="Description"
        hint={
          isNew
            ? 'Or the document itself, as JSON or YAML.'
            : 'Or the document itself. Empty keeps the stored one.'
        }
      >
        {(field) => (
          <TextArea
            {...field}
            rows={4}
            spellCheck={false}
            value={texts.document}
            onChange={({ target }) => onChange({ document: target.value })}
          />
        )}
      </Field>
      <AddressField
        texts={texts}
        hint="Where requests go. Empty for the server that the description names."
        onChange={onChange}
      />
      <Field
        label="Operations"
        hint="One in each line: tag:issues, GET /users/*, GET or listUsers; ! in front leaves operations out. Empty for all."
      >
        {(field) => (
          <TextArea
            {...field}
            rows={3}
            value={texts.operations}
            onChange={({ target }) => onChange({ operations: target.value })}
          />
        )}
      </Field>
      <SecretsField
        label="Headers and keys"
        hint="One in each line: the name of a header or of a security scheme of the description, such as api_key: …. A line without a value keeps the stored one."
        texts={texts}
        onChange={onChange}
      />
    </>
  );
}

function AddressField({ texts, hint, onChange }: FieldsProps & { readonly hint: string }) {
  return (
    <Field label="Address" hint={hint}>
      {(field) => (
        <Input
          {...field}
          placeholder="https://mcp.example.com/mcp"
          autoComplete="off"
          spellCheck={false}
          value={texts.address}
          onChange={({ target }) => onChange({ address: target.value })}
        />
      )}
    </Field>
  );
}

function SecretsField({
  label,
  hint,
  texts,
  onChange,
}: FieldsProps & { readonly label: string; readonly hint: string }) {
  return (
    <Field label={label} hint={hint}>
      {(field) => (
        <TextArea
          {...field}
          rows={3}
          autoComplete="off"
          spellCheck={false}
          value={texts.secrets}
          onChange={({ target }) => onChange({ secrets: target.value })}
        />
      )}
    </Field>
  );
}
