// Light or dark: the system's choice unless the reader made one. A plain script, run before the
// page is drawn, so that no light page flashes up in the dark.
'use strict';
(() => {
  const KEY = 'theta.theme';
  const read = () => {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  };
  const system = matchMedia('(prefers-color-scheme: dark)');
  const now = () => read() || (system.matches ? 'dark' : 'light');
  const apply = () => {
    document.documentElement.dataset.theme = now();
    const button = document.getElementById('theme');
    if (button) {
      button.textContent = now() === 'dark' ? '☀' : '☾';
      button.setAttribute('aria-label', now() === 'dark' ? 'Light colours' : 'Dark colours');
      button.title = button.getAttribute('aria-label');
    }
  };
  apply();
  system.addEventListener('change', apply);
  document.addEventListener('DOMContentLoaded', () => {
    apply();
    document.getElementById('theme').addEventListener('click', () => {
      try {
        localStorage.setItem(KEY, now() === 'dark' ? 'light' : 'dark');
      } catch {
        // Without storage the choice lasts as long as the page.
        document.documentElement.dataset.theme = now() === 'dark' ? 'light' : 'dark';
        return;
      }
      apply();
    });
  });
})();
