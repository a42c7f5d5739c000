import { useEffect } from 'preact/hooks';
import { useParams } from 'wouter-preact';
import { Empty, Failure, Loading } from '../../components/status.js';
import { useQuery } from '../../data/query.js';
import { type PluginPage as Page, PluginFrame } from '../../frame/plugin-frame.js';
import { texts } from './texts.js';

/** A page that a plugin adds to the menu. */
export default function PluginPage() {
  const { plugin, name } = useParams<{ plugin: string; name: string }>();
  const { data, error, reload } = useQuery<{ pages: readonly Page[] }>('/console/pages');
  const page = data?.pages.find((one) => one.place === 'menu' && one.plugin === plugin && one.name === name);
  useEffect(() => {
    if (page) document.title = texts.posthornConsole(page.title);
  }, [page?.title]);
  if (!data) return error ? <Failure error={error} retry={reload} /> : <Loading />;
  if (!page)
    return (
      <Empty title={texts.noPluginHasThisPage} isPage>
        <p>{texts.thePluginIsNotLoaded(plugin, name)}</p>
      </Empty>
    );
  return (
    <div class="content">
      <div class="head">
        <h1 dir="auto">{page.title}</h1>
        <p class="quiet">{texts.ofThePlugin(page.plugin)}</p>
      </div>
      <PluginFrame key={`${plugin}/${name}`} page={page} subject={null} />
    </div>
  );
}
