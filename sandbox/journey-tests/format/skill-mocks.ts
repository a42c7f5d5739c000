import { parse } from 'yaml';
import type { SkillMock } from './document.js';
import { skillMocks } from './schema.js';

/**
 * Reads stand-ins for skills from JSON or YAML: `skills` of a test file, with or without that key.
 * @throws Error when the text has another form
 */
export function readSkillMocks(text: string): Readonly<Record<string, SkillMock>> {
  const written: unknown = parse(text) ?? {};
  const { skills = written } = written as { readonly skills?: unknown };
  const { error, value } = skillMocks.validate(skills, { convert: false });
  if (error) throw new Error(`${error.message}; write {"NAME": {"output": VALUE}}, {"error": TEXT} or {"file": CODE} for each skill`);
  return value;
}
