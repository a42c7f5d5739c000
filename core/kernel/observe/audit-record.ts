import { collection } from '../../ports/store.js';
import { anyString, anyValue, array, integer, named, object, oneOf, record, string, type TypeOf } from '../../shape.js';

/** A field of a setting. Values of secrets are masked, and long ones cut. */
const fieldSchema = object({ field: string() }, { before: anyValue(), after: anyValue() });

/** Documents of one collection that a call has changed. Only settings have their key and fields. */
const changeSchema = object(
  { records: string(), what: oneOf('created', 'changed', 'deleted'), count: integer() },
  { key: string(), fields: array(fieldSchema) },
);
export type AuditChange = TypeOf<typeof changeSchema>;

export const auditSchema = named(
  'AuditRecord',
  object(
    {
      id: string(),
      at: string(),
      operator: object({ id: string(), name: string(), roles: array(string()) }),
      /** The permission of the call, or `owner`. */
      action: string(),
      /** The method and path of the route. */
      call: string(),
      /** The values of its path parameters. */
      params: record(anyString()),
      /** The address of the client, or of a proxy that `trustedProxies` does not list. */
      from: anyString(),
      request_id: string(),
      /** The status of the response; 200 after a change until the call has ended. */
      status: integer(),
      changes: array(changeSchema),
    },
    {
      number: string(),
      /** The headers `X-Forwarded-For` and `User-Agent`, which clients can forge. */
      forwarded_for: anyString(),
      user_agent: anyString(),
    },
  ),
);
/** A record of a call of the admin API by an operator. */
export type AuditRecord = TypeOf<typeof auditSchema>;

/** The stored form: with the fields of its indexes. */
export type StoredAudit = AuditRecord & { readonly by: string; readonly target?: string };

export const auditRecords = collection<StoredAudit>({
  key: 'id',
  tenant: { number: 'number' },
  indexes: { at: ['at', 'id'], by: ['by', 'at', 'id'], target: ['target', 'at', 'id'] },
  cold: { after: 0 },
});

export const auditView = ({ by: _by, target: _target, ...shown }: StoredAudit): AuditRecord => shown;
