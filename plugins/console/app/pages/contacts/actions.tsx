import { useState } from 'preact/hooks';
import { Link, useLocation } from 'wouter-preact';
import { Sheet } from '../../../../../core/web/sheet.js';
import { ActError, ActForm, Field, useAct } from '../../components/act.js';
import { ExportMenu } from '../../components/export-menu.js';
import { lazyPart } from '../../components/lazy-part.js';
import { ToolAction } from '../../components/tool-action.js';
import { announce } from '../../data/announce.js';
import { controlOf } from '../../data/operator.js';
import { nameOf } from '../inbox/content.js';
import { texts } from './detail-texts.js';
import type { ShownContact } from './records.js';

const MergeSheet = lazyPart(() => import('./merge-sheet.js'));

/** The buttons of a contact. Only an erasure cannot be undone. */
export function ContactActions({ shown: { contact, conversation }, back }: { shown: ShownContact; back: string }) {
  const [, navigate] = useLocation();
  const [opened, setOpened] = useState<'block' | 'merge'>();
  const act = useAct();
  const { uuid } = contact;
  const close = () => setOpened(undefined);
  const blocked = contact.blocked?.operator !== undefined;
  const exporting = controlOf({ method: 'GET', path: `/contacts/${uuid}/export` });
  return (
    <div class="contact-actions">
      <div class="buttons">
        {conversation && (
          <Link href={`/inbox/${conversation.uuid}`} class="button">
            {texts.openConversation}
          </Link>
        )}
        <Link href={`/why?contact=${uuid}`} class="button outlined">
          {texts.why}
        </Link>
        {blocked ? (
          <ToolAction
            act={act}
            action={{ method: 'DELETE', path: `/contacts/${uuid}/block` }}
            label={texts.unblock}
            announcement={texts.unblocked}
          />
        ) : (
          <button
            type="button"
            class="button outlined"
            {...controlOf({ method: 'PUT', path: `/contacts/${uuid}/block` })}
            onClick={() => setOpened('block')}
          >
            {texts.openBlock}
          </button>
        )}
        <button
          type="button"
          class="button outlined"
          {...controlOf({ method: 'POST', path: '/contacts/merge' })}
          onClick={() => setOpened('merge')}
        >
          {texts.openMerge}
        </button>
        {exporting.disabled ? (
          <button type="button" class="button outlined" {...exporting}>
            {texts.export}
          </button>
        ) : (
          <ExportMenu
            exports={[
              {
                id: 'json',
                label: 'JSON',
                note: texts.everythingStored,
                run: async () => (await import('../../exports/contacts.js')).saveContact(uuid),
              },
            ]}
          />
        )}
        <ToolAction
          act={act}
          look="button bad"
          action={{ method: 'DELETE', path: `/contacts/${uuid}`, command: `posthorn contacts erase ${uuid}` }}
          label={texts.erase}
          announcement={texts.erased}
          confirm={{ title: texts.eraseQuestion(nameOf(contact)), text: texts.whatErasingDoes, verb: texts.erase }}
          done={() => navigate(back)}
        />
      </div>
      <ActError error={act.error} />
      {opened === 'block' && <BlockSheet contact={uuid} close={close} />}
      {opened === 'merge' && <MergeSheet contact={contact} close={close} />}
    </div>
  );
}

function BlockSheet({ contact, close }: { contact: string; close: () => void }) {
  const [reason, setReason] = useState('');
  return (
    <Sheet title={texts.blockMessages} look="dialog" close={close}>
      <ActForm
        label={texts.blockMessages}
        verb={texts.block}
        action={{ method: 'PUT', path: `/contacts/${contact}/block`, payload: { reason } }}
        done={() => {
          announce(texts.blockedNow);
          close();
        }}
      >
        <p>{texts.whatBlockingDoes}</p>
        <Field label={texts.reason} value={reason} set={setReason} note={texts.reasonIsShown} />
      </ActForm>
    </Sheet>
  );
}
