// Makes elements. Data becomes text nodes and attributes, never markup: whatever stands in a file
// that was dropped is shown as it is.

const SVG = 'http://www.w3.org/2000/svg';

function fill(element, properties, children) {
  for (const [name, value] of Object.entries(properties || {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.append(...children.flat(3).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

/** An HTML element: `h('p', { class: 'note', onclick }, 'text', child, …)`. */
export const h = (tag, properties, ...children) =>
  fill(document.createElement(tag), properties, children);

/** An SVG element. */
export const s = (tag, properties, ...children) =>
  fill(document.createElementNS(SVG, tag), properties, children);

/** A button; `label` is its name where the text does not say it. */
export function button(text, properties = {}, label = undefined) {
  const more = label ? { 'aria-label': label, title: label } : {};
  return h('button', { type: 'button', ...more, ...properties }, text);
}

export const byId = (id) => document.getElementById(id);

/** Replaces what is inside. */
export const put = (element, ...children) =>
  element.replaceChildren(...children.flat(3).filter((c) => c || c === 0));

/** Text that only a screen reader says. */
export const unseen = (text) => h('span', { class: 'unseen' }, text);

/** Hands a text or bytes to the reader as a file. */
export function download(name, content, type = 'text/plain;charset=utf-8') {
  const url = URL.createObjectURL(new Blob([content], { type }));
  const link = h('a', { href: url, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

/** Copies a text and says so on the button that was pressed. */
export async function copy(text, pressed) {
  let done = true;
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    // Where the clipboard is closed to the page, a selection and the old command may still do.
    const area = h('textarea', { class: 'unseen', readonly: true });
    area.value = text;
    document.body.append(area);
    area.select();
    done = document.execCommand('copy');
    area.remove();
  }
  const before = pressed.textContent;
  pressed.textContent = done ? 'Copied' : 'Not copied';
  setTimeout(() => { pressed.textContent = before; }, 1500);
}

/** A row of tabs with their panels, by arrow keys as well: `[{ id, name, panel }]`. */
export function tabs(label, entries, onChoose) {
  const list = h('div', { role: 'tablist', 'aria-label': label, class: 'tablist' });
  const choose = (id, focus) => {
    for (const entry of entries) {
      const on = entry.id === id;
      entry.tab.setAttribute('aria-selected', String(on));
      entry.tab.tabIndex = on ? 0 : -1;
      entry.panel.hidden = !on;
      if (on && focus) entry.tab.focus();
      if (on && list.scrollWidth > list.clientWidth) {
        list.scrollTo({ left: entry.tab.offsetLeft - list.clientWidth / 3 });
      }
    }
    onChoose(id);
  };
  for (const entry of entries) {
    entry.tab = button(entry.name, {
      role: 'tab', id: `tab-${entry.id}`, 'aria-controls': `panel-${entry.id}`,
      onclick: () => choose(entry.id, false),
    });
    entry.panel.id = `panel-${entry.id}`;
    entry.panel.setAttribute('role', 'tabpanel');
    entry.panel.setAttribute('aria-labelledby', `tab-${entry.id}`);
    list.append(entry.tab);
  }
  list.addEventListener('keydown', (event) => {
    const at = entries.findIndex((entry) => entry.tab === document.activeElement);
    const last = entries.length - 1;
    const to = { ArrowLeft: at - 1, ArrowRight: at + 1, Home: 0, End: last }[event.key];
    if (to === undefined || at < 0) return;
    choose(entries[(to + entries.length) % entries.length].id, true);
    event.preventDefault();
    event.stopPropagation();
  });
  return { list, choose };
}
