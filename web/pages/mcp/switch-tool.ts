interface ToolFilter {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
}

/** The filter with which a tool is offered or not; undefined if nothing is left of it. */
export function switchTool({ allow = [], deny = [] }: ToolFilter = {}, name: string, isOffered: boolean) {
  const others = allow.filter((pattern) => pattern !== name);
  // Without any pattern all tools would be offered.
  const allowed = isOffered
    ? allow.length > 0
      ? [...others, name]
      : []
    : others.length > 0
      ? others
      : [...allow];
  const denied = deny.filter((pattern) => pattern !== name);
  if (!isOffered) denied.push(name);
  if (allowed.length === 0 && denied.length === 0) return undefined;
  return { ...(allowed.length > 0 && { allow: allowed }), ...(denied.length > 0 && { deny: denied }) };
}
