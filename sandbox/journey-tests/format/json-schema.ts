import { testSchema } from './schema.js';

/** The identifier of the published schema. */
export const SCHEMA_ID = 'https://unpkg.com/posthorn/test.schema.json';

/** The JSON Schema of test files, which editors use to complete and check them. */
export function testJsonSchema(): object {
  const made = testSchema['~standard'].jsonSchema.input({ target: 'draft-2020-12' });
  return { $schema: 'http://json-schema.org/draft-07/schema#', $id: SCHEMA_ID, title: 'Tests of a Posthorn journey', ...made };
}
