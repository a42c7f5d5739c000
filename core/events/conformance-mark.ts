/** The beginning of the names of contacts and ids that a conformance run makes up, so that people and `why` recognize them. */
export const CONFORMANCE_MARK = 'posthorn-conformance';
