"""The pictures of the pages, and a page that shows them."""

import collections
import html
import pathlib

STYLE = """
:root { color-scheme: light dark; font: 1rem/1.4 system-ui, sans-serif }
body { margin: 2rem }
h2 { margin-block: 2.5rem 0.75rem; font-size: 1.1rem }
div { display: flex; gap: 1rem; align-items: start; flex-wrap: wrap }
figure { margin: 0; font-size: 0.8rem }
img { display: block; height: 22rem; max-width: 40rem; object-fit: cover; object-position: top; border: 1px solid #8888 }
nav { columns: 16rem }
nav a { display: block }
"""


class Gallery:
    """A folder of pictures. Without a folder, nothing is kept."""

    def __init__(self, folder):
        self.folder = pathlib.Path(folder) if folder else None
        self.pages = collections.OrderedDict()
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)

    def keep(self, name, look, picture):
        if self.folder:
            file = f"{name.replace(' ', '-').replace(',', '')}-{look}.png"
            (self.folder / file).write_bytes(picture())
            self.pages.setdefault(name, []).append((look, file))

    def write(self):
        """Writes the page that shows the pictures."""
        if not self.folder:
            return
        parts = ["<!DOCTYPE html><html lang=en><meta charset=utf-8><title>The pages of Kith</title>",
                 f"<style>{STYLE}</style><h1>The pages of Kith</h1><nav>"]
        for number, name in enumerate(self.pages):
            parts.append(f"<a href='#p{number}'>{html.escape(name)}</a>")
        parts.append("</nav>")
        for number, (name, pictures) in enumerate(self.pages.items()):
            parts.append(f"<h2 id='p{number}'>{html.escape(name)}</h2><div>")
            for look, file in pictures:
                file, label = html.escape(file, quote=True), html.escape(f"{name}, {look}", quote=True)
                parts.append(f"<figure><a href='{file}'><img src='{file}' alt='{label}' loading=lazy></a>"
                             f"<figcaption>{look}</figcaption></figure>")
            parts.append("</div>")
        (self.folder / "index.html").write_text("\n".join(parts))
