import { useQuery } from '../data/query.js';
import type { PluginPage } from './plugin-frame.js';

/** The pages of plugins in one place of the console. A console whose server is older has none. */
export function usePluginPages(place: PluginPage['place']): readonly PluginPage[] {
  const { data } = useQuery<{ pages: readonly PluginPage[] }>('/console/pages');
  return (data?.pages ?? []).filter((page) => page.place === place);
}

/** The path of a page in the menu. */
export const pathOf = ({ plugin, name }: PluginPage): string => `/plugins/${plugin}/${name}`;
