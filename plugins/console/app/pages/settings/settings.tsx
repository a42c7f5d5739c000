import type { ComponentChildren } from 'preact';
import { useLocation, useParams } from 'wouter-preact';
import { addSheet } from '../../components/page-sheet.js';
import { Tabs } from '../../components/tabs.js';
import settingsSheet from '../../styles/settings.page.css';
import { About } from './about.js';
import { Cassettes } from './cassettes.js';
import { ClockSettings } from './clock.js';
import { Connections } from './connections.js';
import { Faults } from './faults.js';
import { Plugins } from './plugins.js';
import { Retention } from './retention.js';
import { SeedSettings } from './seed.js';
import { StateSettings } from './state.js';
import { Switches } from './switches.js';

addSheet(settingsSheet);

const parts: readonly { readonly id: string; readonly label: string; readonly content: () => ComponentChildren }[] = [
  { id: 'clock', label: 'Clock', content: () => <ClockSettings /> },
  { id: 'faults', label: 'Faults', content: () => <Faults /> },
  { id: 'state', label: 'State', content: () => <StateSettings /> },
  { id: 'seed', label: 'Seed', content: () => <SeedSettings /> },
  { id: 'switches', label: 'Switches', content: () => <Switches /> },
  { id: 'plugins', label: 'Plugins', content: () => <Plugins /> },
  { id: 'connections', label: 'AI connections', content: () => <Connections /> },
  { id: 'cassettes', label: 'Cassettes', content: () => <Cassettes /> },
  { id: 'retention', label: 'Retention', content: () => <Retention /> },
  { id: 'about', label: 'Versions', content: () => <About /> },
];

/** The settings of the platform, and what only a sandbox has: its clock, faults, state, seed and cassettes. */
export default function Settings() {
  const { id = 'clock' } = useParams<{ id?: string }>();
  const [, navigate] = useLocation();
  return (
    <div class="content">
      <h1>Settings</h1>
      <Tabs label="Parts of the settings" current={id} select={(part) => navigate(`/settings/${part}`)} tabs={parts} />
    </div>
  );
}
