import { useCallback, useState } from 'preact/hooks';
import { useLocation, useParams } from 'wouter-preact';
import type { AdviceRecord } from '#core';
import { ConfirmSheet } from '../../components/confirm.js';
import { type Action, CopyAs, perform } from '../../components/copy.js';
import { Draw } from '../../components/icons.js';
import { List } from '../../components/list.js';
import { addSheet } from '../../components/page-sheet.js';
import { Evidence } from '../../components/record-link.js';
import { Split } from '../../components/split.js';
import { Empty, Failure, Loading } from '../../components/status.js';
import { Time } from '../../components/time.js';
import { CallFailed } from '../../data/admin.js';
import { announce } from '../../data/announce.js';
import { controlOf } from '../../data/operator.js';
import { useQuery } from '../../data/query.js';
import { useShortcuts } from '../../data/shortcuts.js';
import adviceSheet from '../../styles/advice.page.css';
import { texts } from './texts.js';

addSheet(adviceSheet);

const ROW_PX = 72;

/** Probable mistakes that the platform has noticed, until they are dismissed or fixed. */
export default function Advice() {
  const { id } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  const { data, error, reload } = useQuery<{ advice: readonly AdviceRecord[] }>('/advice', ['advice']);
  const select = useCallback((key: string) => navigate(`/advice/${encodeURIComponent(key)}`, { replace: id !== undefined }), [id]);
  const close = () => navigate('/advice');
  useShortcuts({ ...(id !== undefined && { Escape: close }) });
  if (!data) {
    return (
      <div class="content">
        <h1>{texts.advice}</h1>
        {error ? <Failure error={error} retry={reload} /> : <Loading />}
      </div>
    );
  }
  const { advice } = data;
  const selected = advice.find((one) => one.id === id);
  const dismissed = (): void => {
    // The next one takes its place, so that several can be dismissed one after the other.
    const at = advice.findIndex((one) => one.id === id);
    const next = advice[at + 1] ?? advice[at - 1];
    navigate(next ? `/advice/${encodeURIComponent(next.id)}` : '/advice', { replace: true });
    reload();
  };
  return (
    <Split
      title={texts.advice}
      label={texts.theAdvice}
      list={
        <>
          <div class="list-head">
            <div class="head">
              <p class="page-title" aria-hidden="true">
                {texts.advice}
              </p>
              <span class="quiet" role="status">
                {texts.open(advice.length)}
              </span>
            </div>
          </div>
          {error && <Failure error={error} retry={reload} />}
          <List
            label={texts.adviceNewestFirst}
            items={advice}
            keyOf={(one) => one.id}
            rowHeight={ROW_PX}
            selected={id}
            select={select}
            row={(one) => <Row advice={one} />}
            empty={
              <Empty title={texts.noAdvice}>
                <p>{texts.thePlatformListsProbable}</p>
              </Empty>
            }
          />
        </>
      }
      detail={
        id === undefined ? undefined : (
          <article class="detail" aria-label={texts.advice}>
            <button type="button" class="back button plain" onClick={close}>
              <Draw name="back" turns /> {texts.advice}
            </button>
            {selected ? <Detail key={selected.id} advice={selected} dismissed={dismissed} /> : <Gone />}
          </article>
        )
      }
      nothing={
        advice.length > 0 && (
          <Empty title={texts.noAdviceIsSelected}>
            <p>{texts.selectOneToSeeIts}</p>
          </Empty>
        )
      }
    />
  );
}

const timesOf = (times: number): string => texts.times(times);

const Row = ({ advice: { name, message, times, at } }: { advice: AdviceRecord }) => (
  <>
    <span>
      <b class="grow">{titleOf(name)}</b>
      {times > 1 && <small>{timesOf(times)}</small>}
      <Time at={at} />
    </span>
    <small class="two-lines" dir="auto">
      {message}
    </small>
  </>
);

/** `inbound_id_repeated` as `Inbound id repeated`. */
function titleOf(name: string): string {
  const words = name.replace(/[._]/g, ' ');
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function Detail({ advice, dismissed }: { advice: AdviceRecord; dismissed: () => void }) {
  const { id, name, message, fix, times, first_at, at, number, about = {} } = advice;
  const [failure, setFailure] = useState<CallFailed>();
  const [isCalling, setCalling] = useState(false);
  const [isAsking, setAsking] = useState(false);
  const dismissal: Action = {
    method: 'DELETE',
    path: `/advice/${encodeURIComponent(id)}`,
    command: `posthorn advice dismiss ${id}`,
  };
  const dismiss = async (): Promise<void> => {
    setAsking(false);
    setCalling(true);
    setFailure(undefined);
    try {
      await perform(dismissal);
      announce(texts.theAdviceWasDismissed);
      dismissed();
    } catch (error) {
      if (!(error instanceof CallFailed)) throw error;
      // Another browser may have dismissed it, or its cause was fixed.
      if (error.status === 404) dismissed();
      else setFailure(error);
      setCalling(false);
    }
  };
  const causes = { ...about, ...(number !== undefined && { number }) };
  return (
    <>
      <header class="detail-head">
        <h2>{titleOf(name)}</h2>
        <div class="buttons">
          <button type="button" class="button outlined" {...controlOf(dismissal, isCalling)} onClick={() => setAsking(true)}>
            {texts.dismiss}
          </button>
          <CopyAs action={dismissal} />
        </div>
      </header>
      {failure && <Failure error={failure} retry={() => void dismiss()} />}
      {isAsking && (
        <ConfirmSheet
          title={texts.dismissTheAdvice}
          text={texts.itIsDeletedAndComes}
          verb={texts.dismissTheAdvice2}
          go={() => void dismiss()}
          close={() => setAsking(false)}
        />
      )}
      <p class="lead" dir="auto">
        {message}
      </p>
      <section class="callout ok" aria-labelledby="advice-fix">
        <h3 id="advice-fix">{texts.fix}</h3>
        <p dir="auto">{fix}</p>
      </section>
      {Object.keys(causes).length > 0 && (
        <section aria-labelledby="advice-cause">
          <h3 id="advice-cause">{texts.cause}</h3>
          <Evidence values={causes} />
        </section>
      )}
      <dl class="facts">
        <dt>{texts.issued}</dt>
        <dd>{timesOf(times)}</dd>
        <dt>{texts.first}</dt>
        <dd>
          <Time at={first_at} />
        </dd>
        <dt>{texts.last}</dt>
        <dd>
          <Time at={at} />
        </dd>
        <dt>{texts.name}</dt>
        <dd>
          <code>{name}</code>
        </dd>
      </dl>
      <p class="quiet">{texts.dismissedAdviceIsIssued}</p>
    </>
  );
}

const Gone = () => (
  <Empty title={texts.thisAdviceIsNoLonger}>
    <p>{texts.itWasDismissedOrIts}</p>
  </Empty>
);
