/** The names of the skills and apps that the blocks of a container call. */
export const calledSkills = (container: unknown): readonly string[] => [...new Set(namesIn(container))];

function namesIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(namesIn);
  if (typeof value !== 'object' || value === null) return [];
  const { type, config } = value as { readonly type?: unknown; readonly config?: { readonly skill?: unknown } | null };
  const own = type === 'Svc.Skill' && typeof config?.skill === 'string' ? [config.skill] : [];
  return [...own, ...Object.values(value).flatMap(namesIn)];
}
