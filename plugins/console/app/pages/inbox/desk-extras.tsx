import type { ComponentProps } from 'preact';
import type { ContactRecord, ConversationRecord, NumberRecord } from '#core';
import { ExportMenu } from '../../components/export-menu.js';
import { Integrations } from '../../components/integration-panel.js';
import type { PanelsView } from '../../components/panel-view.js';

interface DeskExtrasProps extends Pick<ComponentProps<typeof Integrations>, 'thread' | 'apply'> {
  readonly conversation: ConversationRecord;
  readonly contact: ContactRecord;
  readonly number: NumberRecord | undefined;
  readonly view: PanelsView | undefined;
}

/** Parts of the desk that are loaded after it: the menu that saves the conversation, and the panels of integrations. */
export default function DeskExtras({ conversation, contact, number, view, thread, apply }: DeskExtrasProps) {
  const saving = (kind: 'txt' | 'html', label: string) => ({
    id: kind,
    label,
    note: 'the newest 5,000 messages',
    run: async () =>
      (await import('../../exports/transcript.js')).saveTranscript(kind, { conversation: conversation.uuid, contact, number }),
  });
  return (
    <>
      <div class="buttons">
        <ExportMenu exports={[saving('txt', 'Text'), saving('html', 'HTML')]} />
      </div>
      {view && (
        <Integrations thread={thread} between={{ contact: conversation.owner, number: number?.address ?? '' }} view={view} apply={apply} />
      )}
    </>
  );
}
