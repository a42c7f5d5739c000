/** A pattern of words that readers stumble over, and what to write instead. */
export interface WordRule {
  readonly pattern: RegExp;
  readonly use: string;
}

const row = (pattern: RegExp, use: string): WordRule => ({ pattern: new RegExp(pattern.source, `${pattern.flags}g`), use });

/** Words that occur nowhere, not even in code and test data. */
export const banned = row(/\b((no|some)body|who(so)?ever)\b/i, 'name the caller, client, listener or user');

export const rules: readonly WordRule[] = [
  row(/\b(whomever|no one|someone)\b/i, 'name the caller, client, listener or user'),
  row(/\b(is|are|was|were|be|been|not) told\b|\btold of\b|\buntold\b/i, 'is notified, receives the event, is reported'),
  row(/\bhears?( of)?\b|\bheard\b/i, 'receives (the event), is notified'),
  row(/\bcarr(y|ies|ied|ying)\b/i, 'supports, contains, includes, sends'),
  row(/\bmend(s|ed|ing)?\b/i, 'fix, repair'),
  row(/\b(give|gives|given|gave|giving) up\b/i, 'dropped (a delivery), failed permanently (a job), stops retrying'),
  row(/\blaw\b/i, 'retry policy'),
  row(/\bletter ?box\b/i, 'endpoint'),
  row(/\bby name\b/i, 'with an error code; lookup by name: say which name'),
  row(/\bstands?\b(?!-|ing| (for|alone|in for)\b)|\bstood\b/i, 'is, current, effective; remains'),
  row(/\bin part\b/i, 'partially, partially applied'),
  row(/\bof before\b|\bthe (one|try|attempt|call|time|turn|first|page|run|job) before\b/i, 'previous'),
  row(/\bat once\b/i, 'immediately; at the same time'),
  row(
    /\b(\w+) times over\b|\bso often\b|\bat most so (many|much)\b|\bby so much\b|\bup to so (many|much)\b|\bso many (at|characters|bytes|calls)\b/i,
    'up to N …; name the value',
  ),
  row(/\bthe asker\b/i, 'the caller, the client'),
  row(
    /\b(is|are|be) waiting for its time\b|\bwaits? for (its|their) time\b|\bin line\b|\bwhat (is )?wait(s|ing)\b/i,
    'pending, scheduled, queued',
  ),
  row(
    /(?:^|[.:;] |[.:;]\n\s*|\n\s*\n\s*|^\s*)What (?!(is|are|was|were|does|do|did|can|has|have|should|would|if) [^.?]*\?)(?![^.]*\?)/,
    'begin with the subject: an actor and a verb',
  ),
  row(
    /(?:^|[.:;] |[.:;]\n\s*)\s*(Of these|Of those|Of the rest|Of more|Who |Whose |Whom )(?![^.]*\?)/,
    'begin with the subject: an actor and a verb',
  ),
  row(/\b(a|the|each|every|first|last|next|this|that|one|another|its|second|third|no|two|three|ten) (try|tries)\b/i, 'attempt'),
  row(/\b(go|goes|went|gone|going) on\b/i, 'continues'),
  row(/\bforg(et|ets|ot|otten|etting)\b/i, 'deletes, evicts, expires'),
  row(/\blets? go\b|\bletting go\b/i, 'releases'),
  row(/\bon (the|its|their) way\b|\bunder way\b/i, 'in flight, in progress, pending'),
  row(/\bguilty\b|\binnocent\b|\bbrakes?\b|\btravels?\b|\bgates?\b/i, 'no metaphor: say what happens'),
  row(/\banew\b|\bafresh\b/i, 'again'),
  row(/\bby hand\b/i, 'manually'),
  row(/\bheld\b|\bholds? back\b/i, 'queued, paused, kept'),
  row(/(?<!\bthere )\b(is|are|was|were|be) no (?!longer|more\b|such|one\b|\w+ than\b|\w+er\b)(?=\w+\b)/i, 'is not a …'),
  row(/\bbut for\b/i, 'except'),
  row(/\bfor good\b|\bfor ever\b/i, 'permanently, indefinitely'),
  row(/\bthe other side\b/i, 'the client, the connector, the endpoint'),
  row(/\bof (ours|theirs|hers|mine)\b/i, "the platform's, our own, the host's"),
  row(/\b(is|are|was|were|be) answered\b/i, 'gets, receives; the platform responds with'),
  row(/\bas (it|they) likes?\b/i, 'say what is allowed'),
  row(/\b(worth|with|without|say|says) a word\b/i, 'with a message, silently'),
  row(/\bmoments? (of time|in time)\b|\bthis moment\b|\bsame moment\b|\ba moment\b/i, 'time, date-time'),
  row(/\b(is|are|was|were) said\b/i, 'is sent, is issued, is logged'),
  row(/\bcomes? to (its|an|their) end\b/i, 'ends'),
  row(/\bnot any more\b/i, 'no longer'),
  row(/\bthat which\b|\bthose who\b/i, 'name them'),
];
