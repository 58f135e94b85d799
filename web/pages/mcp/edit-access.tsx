import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api, told } from '../../api/client.ts';
import type { McpServer } from '../../api/queries.ts';
import { Button } from '../../parts/controls.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { RuleList } from '../../parts/rule-list.tsx';
import { KeyChoice, PeopleChoice, ProjectChoice, RoleChoice } from './access-choices.tsx';
import { storedDefinition } from './server-definition.ts';
import { useKnownTools } from './use-known-tools.ts';
import { useServersChanged } from './use-servers-changed.ts';

interface EditAccessProps {
  readonly server: McpServer;
  /** Only accounts have keys, people, roles and projects. */
  readonly isCloud: boolean;
  readonly onClose: () => void;
}

type Rule = NonNullable<McpServer['access']>[number];

/** A rule whose lists may be empty. */
interface EditedRule {
  readonly id: number;
  /** Null for all. */
  readonly tools: readonly string[] | null;
  readonly roles: readonly string[];
  readonly keys: readonly string[];
  readonly people: readonly string[];
}

/** Who may use which tools of a server. */
export function EditAccess({ server, isCloud, onClose }: EditAccessProps) {
  const { name } = server;
  const [rules, setRules] = useState(() => (server.access ?? []).map(editedRule));
  const [projects, setProjects] = useState<readonly string[]>(server.projects ?? []);
  const tools = useKnownTools(server);
  const saving = useMutation({
    mutationFn: () => {
      const { access: _access, projects: _projects, ...definition } = storedDefinition(server);
      const body = {
        ...definition,
        ...(rules.length > 0 && { access: rules.map(ruleOf) }),
        ...(projects.length > 0 && { projects: [...projects] }),
      };
      return told(api.PUT('/v1/mcp/servers/{name}', { params: { path: { name } }, body }));
    },
    onSuccess: useServersChanged(onClose),
  });
  const change = (id: number, changed: Partial<EditedRule>) =>
    setRules(rules.map((rule) => (rule.id === id ? { ...rule, ...changed } : rule)));
  const add = () => {
    const id = Math.max(0, ...rules.map((rule) => rule.id)) + 1;
    setRules([...rules, { id, tools: null, roles: [], keys: [], people: [] }]);
  };
  return (
    <FormDialog
      title={`Access to ${name}`}
      lead="Without rules, everybody in the account may use all of its tools. With rules, whoever one of them names."
      action="Save"
      isIncomplete={rules.some((rule) => rule.tools?.length === 0)}
      saving={saving}
      onClose={onClose}
    >
      {rules.map((rule, index) => (
        <fieldset key={rule.id} className="flex min-w-0 flex-col gap-3 rounded-md border border-line p-3">
          <legend className="px-1 text-sm font-medium">Rule {index + 1}</legend>
          <RuleList
            label="Tools"
            entry="tool"
            hint="A name at the server, or a pattern such as get_*."
            placeholder="get_*"
            known={tools}
            entries={rule.tools}
            onChange={(chosen) => change(rule.id, { tools: chosen })}
          />
          {isCloud && (
            <>
              <RoleChoice chosen={rule.roles} onChange={(roles) => change(rule.id, { roles })} />
              <KeyChoice chosen={rule.keys} onChange={(keys) => change(rule.id, { keys })} />
              <PeopleChoice chosen={rule.people} onChange={(people) => change(rule.id, { people })} />
              <p className="text-xs text-muted">
                The rule is for who has one of the roles, and for these keys and people; without any, for
                everybody.
              </p>
            </>
          )}
          <Button
            look="quiet"
            className="self-end"
            onClick={() => setRules(rules.filter(({ id }) => id !== rule.id))}
            aria-label={`Remove rule ${index + 1}`}
          >
            Remove
          </Button>
        </fieldset>
      ))}
      <Button className="self-start" onClick={add}>
        Add a rule
      </Button>
      {isCloud && <ProjectChoice chosen={projects} onChange={setProjects} />}
    </FormDialog>
  );
}

function editedRule({ tools, roles = [], keys = [], people = [] }: Rule, id: number): EditedRule {
  return { id, tools: tools.includes('*') ? null : tools, roles, keys, people };
}

function ruleOf({ tools, roles, keys, people }: EditedRule): Rule {
  return {
    tools: tools === null ? ['*'] : [...tools],
    ...(roles.length > 0 && { roles: [...roles] }),
    ...(keys.length > 0 && { keys: [...keys] }),
    ...(people.length > 0 && { people: [...people] }),
  };
}
