/** An OpenAPI document, as far as the reference shows it. */
export interface OpenApi {
  readonly info: { readonly title: string; readonly version: string };
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly { readonly name: string }[];
  readonly paths: Readonly<Record<string, PathItem>>;
  readonly webhooks?: Readonly<Record<string, PathItem>>;
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>;
    readonly securitySchemes: Readonly<Record<string, { readonly description: string }>>;
  };
}

export type PathItem = Readonly<Record<string, Operation>>;

export interface Operation {
  readonly operationId: string;
  readonly summary: string;
  readonly description?: string;
  readonly tags: readonly [string];
  readonly security: readonly Readonly<Record<string, readonly string[]>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly required: boolean; readonly content: Content };
  readonly responses: Readonly<Record<string, Response>>;
}

export interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly schema: Schema;
}

export interface Response {
  readonly description: string;
  readonly headers?: Readonly<Record<string, { readonly description: string }>>;
  readonly content?: Content;
}

export type Content = Readonly<Record<string, MediaType>>;

export interface MediaType {
  readonly schema?: Schema;
  readonly example?: unknown;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

/** The keywords of JSON Schema that our documents use. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly patternProperties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly not?: Schema;
  readonly if?: Schema;
  readonly then?: Schema;
  readonly else?: Schema;
  readonly enum?: readonly unknown[];
  readonly default?: unknown;
  readonly format?: string;
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly minProperties?: number;
  readonly maxProperties?: number;
}

/** The name in a reference to a schema; undefined for an inline schema. */
export const nameOf = ({ $ref }: Schema): string | undefined => $ref?.slice($ref.lastIndexOf('/') + 1);

/** The examples of a body; the keys are their names. */
export const examplesOf = ({ example, examples = {} }: MediaType): readonly (readonly [name: string, value: unknown])[] => [
  ...(example === undefined ? [] : [['Example', example] as const]),
  ...Object.entries(examples).map(([name, { value }]) => [name, value] as const),
];
