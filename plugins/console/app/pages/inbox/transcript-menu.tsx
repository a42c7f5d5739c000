import type { ContactRecord, NumberRecord } from '#core';
import { ExportMenu } from '../../components/export-menu.js';

interface TranscriptMenuProps {
  readonly conversation: string;
  readonly contact: ContactRecord;
  readonly number: NumberRecord | undefined;
}

/** Saves a conversation as text or as a page. */
export default function TranscriptMenu(talk: TranscriptMenuProps) {
  const saving = (kind: 'txt' | 'html', label: string) => ({
    id: kind,
    label,
    note: 'the newest 5,000 messages',
    run: async () => (await import('../../exports/transcript.js')).saveTranscript(kind, talk),
  });
  return <ExportMenu exports={[saving('txt', 'Text'), saving('html', 'HTML')]} />;
}
