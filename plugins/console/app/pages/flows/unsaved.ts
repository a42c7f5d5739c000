/** Texts of flows that were not saved, with the stored text that each changes: they are shown when the user returns to the editor. */
export const unsaved = new Map<string, { readonly text: string; readonly kept: string }>();
addEventListener('beforeunload', (event) => {
  if (unsaved.size > 0) event.preventDefault();
});
