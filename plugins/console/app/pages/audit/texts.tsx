import { catalogue } from '../../../../../core/web/language.js';

export const texts = catalogue({
  idOfTheOperator: 'Id of the operator',
  permissionSuchAsWebhooks: 'Permission, such as webhooks.write',
  idInThePath: 'Id in the path',
  audit: 'Audit',
  theAuditRecords: 'the audit records',
  refresh: 'Refresh',
  loadedRecords: 'the records that are loaded, for spreadsheets',
  auditRecordsNewestFirst: 'Audit records, newest first',
  noRecordMatches: 'No record matches',
  callsOfTheAdminApi: 'Calls of the admin API that change something, or read messages or secrets, have a record here.',
  showOlderRecords: 'Show older records',
  theseAreTheNewestAudit: (maxRecords: string, posthorn: string) => (
    <>
      These are the newest {maxRecords}. <code>{posthorn} audit</code> lists them all.
    </>
  ),
  auditRecord: 'Audit record',
  theListDoesNotHave: 'The list does not have this record',
  noRecordIsSelected: 'No record is selected',
  selectOneToSeeWhat: 'Select one to see what has changed.',
  forwardedFor: (from: string, forwardedFor: string) => `${from}, forwarded for ${forwardedFor}`,
  operator: 'Operator',
  changes: 'Changes',
  noneTheCallHasOnly: 'None: the call has only read.',
  noneOfTheSettingsThat: 'None of the settings that are recorded.',
  in: (count: number, what: string, records: string) => (
    <>
      {count} {what} in <code>{records}</code>
    </>
  ),
  field: 'Field',
  before: 'Before',
  after: 'After',
  permission: 'Permission',
  id: 'Id',
});
