"""The pictures of the pages, and a page that shows them."""

import html
import itertools
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
        if self.folder:
            self.folder.mkdir(parents=True, exist_ok=True)

    def clear(self):
        """Removes the pictures of an earlier run."""
        for file in self.folder.glob("*.png") if self.folder else []:
            file.unlink()

    def keep(self, name, look, picture):
        if self.folder:
            file = f"{name.replace(' ', '-').replace(',', '')}.{look}.png"
            (self.folder / file).write_bytes(picture())

    def write(self):
        """Writes the page that shows the pictures of the folder."""
        if not self.folder:
            return
        files = sorted(self.folder.glob("*.png"))
        pages = [(name, list(each)) for name, each in itertools.groupby(files, lambda file: file.name.rsplit(".", 2)[0])]
        parts = ["<!DOCTYPE html><html lang=en><meta charset=utf-8><title>The pages of Kith</title>",
                 f"<style>{STYLE}</style><h1>The pages of Kith</h1><nav>"]
        shown = [name.replace("-", " ") for name, _ in pages]
        parts += [f"<a href='#p{number}'>{html.escape(name)}</a>" for number, name in enumerate(shown)]
        parts.append("</nav>")
        for number, (name, (_, pictures)) in enumerate(zip(shown, pages)):
            parts.append(f"<h2 id='p{number}'>{html.escape(name)}</h2><div>")
            for picture in pictures:
                look = picture.name.rsplit(".", 2)[1]
                file, label = html.escape(picture.name, quote=True), html.escape(f"{name}, {look}", quote=True)
                parts.append(f"<figure><a href='{file}'><img src='{file}' alt='{label}' loading=lazy></a>"
                             f"<figcaption>{look}</figcaption></figure>")
            parts.append("</div>")
        (self.folder / "index.html").write_text("\n".join(parts))
