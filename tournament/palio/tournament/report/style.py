"""How the report looks, on screen and on paper."""

from __future__ import annotations

from typing import Final

STYLE: Final = """
:root { --ink: #20242c; --soft: #656b78; --line: #e2ddd2; --paper: #fff; --ground: #f6f3ec; --accent: #9b2335;
  --good: #1f6f8b; --bar: #b9a77f; }
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; }
body { margin: 0; background: var(--ground); color: var(--ink); font: 15px/1.55 "Inter", "Segoe UI", "Helvetica Neue",
  "Noto Sans", "DejaVu Sans", Arial, sans-serif; font-variant-numeric: tabular-nums; }
main { max-width: 1080px; margin: 0 auto; padding: 0 24px 64px; }
header { border-top: 6px solid var(--accent); padding: 40px 0 20px; }
h1 { font: 600 38px/1.15 "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia, "DejaVu Serif",
  serif; margin: 0 0 6px; letter-spacing: -.01em; }
header p { margin: 0; color: var(--soft); }
h2 { font: 600 22px/1.25 "Iowan Old Style", "Palatino Linotype", Palatino, "Book Antiqua", Georgia, "DejaVu Serif",
  serif; margin: 0 0 4px; }
h3 { font-size: 13px; font-weight: 600; margin: 0 0 8px; color: var(--soft); }
section { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 24px 28px 26px;
  margin: 0 0 20px; }
section > p { color: var(--soft); margin: 0 0 16px; max-width: 74ch; }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(130px, 1fr)); gap: 12px; margin: 0 0 20px; }
.tile { background: var(--paper); border: 1px solid var(--line); border-radius: 10px; padding: 14px 18px; }
.tile b { display: block; font-size: 26px; line-height: 1.2; font-weight: 650; letter-spacing: -.01em; }
.tile span { color: var(--soft); font-size: 13px; }
.pair { display: flex; flex-wrap: wrap; gap: 28px 36px; }
.pair p { margin: 8px 0 0; max-width: 300px; font-size: 13px; }
.pair > div { flex: 0 1 auto; min-width: 0; }
.stack > div + div { margin-top: 24px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; }
table.plain { width: 100%; }
svg + .scroll, .drawn + .scroll, h2 + .scroll, h2 + .pair { margin-top: 14px; }
caption { text-align: left; color: var(--soft); font-size: 13px; padding: 0 0 8px; }
table.plain th { text-align: left; font-weight: 600; font-size: 12.5px; color: var(--soft);
  border-bottom: 1.5px solid var(--ink); padding: 6px 10px; white-space: nowrap; }
table.plain td { border-bottom: 1px solid var(--line); padding: 7px 10px; }
table.plain .n, table.plain .strong { white-space: nowrap; }
table.many th, table.many td { padding-left: 7px; padding-right: 7px; font-size: 13.5px; }
table.many th { font-size: 12px; }
table.many .strong { white-space: normal; min-width: 110px; }
table.plain tr:last-child td { border-bottom: 0; }
table.plain .n { text-align: right; }
table.plain .strong { font-weight: 650; }
table.plain .muted, .muted { color: var(--soft); }
.dot { display: inline-block; width: 10px; height: 10px; border-radius: 50%; margin-right: 9px; }
table.matrix th { font-weight: 600; font-size: 13px; padding: 6px 10px; white-space: nowrap; }
table.matrix thead th { text-align: center; vertical-align: bottom; }
table.matrix thead th span { display: inline-block; max-width: 104px; white-space: normal; overflow-wrap: break-word;
  line-height: 1.25; }
table.matrix tbody th { text-align: right; }
table.matrix tbody td { min-width: 84px; height: 50px; padding: 0 7px; text-align: center;
  border: 2px solid var(--paper); white-space: nowrap;
  font-weight: 600; line-height: 1.2; border-radius: 4px; -webkit-print-color-adjust: exact;
  print-color-adjust: exact; }
table.matrix small { display: block; font-weight: 400; font-size: 11.5px; opacity: .85; }
table.matrix td.self { background: repeating-linear-gradient(135deg, #efece4 0 4px, #f8f6f1 4px 8px); }
table.matrix td.none { background: #faf8f4; }
table.medium tbody td { min-width: 62px; padding: 0 5px; font-size: 12.5px; }
table.medium small { font-size: 10.5px; }
table.medium thead th { padding: 6px 2px; font-size: 12px; }
table.medium thead th span { max-width: 64px; }
table.medium tbody th { white-space: normal; max-width: 150px; overflow-wrap: break-word; font-size: 12px; }
table.dense tbody td { min-width: 44px; height: 36px; padding: 0 2px; font-size: 12px; }
table.dense thead th span { max-width: none; white-space: nowrap; writing-mode: vertical-rl;
  transform: rotate(180deg); }
table.dense small { display: none; }
svg { max-width: 100%; height: auto; display: block; font: 12.5px "Inter", "Segoe UI", "Helvetica Neue", "Noto Sans",
  "DejaVu Sans", Arial, sans-serif; font-variant-numeric: tabular-nums; }
svg text { fill: var(--ink); }
svg .tick, svg .axis, svg .muted { fill: var(--soft); font-size: 11.5px; }
svg .name { font-weight: 600; }
svg .aside { fill: var(--soft); }
svg .value { font-weight: 600; }
svg .grid { stroke: var(--line); }
svg .zero { stroke: #9a958a; }
svg .series { fill: none; stroke-width: 2.2; stroke-linejoin: round; }
svg .gain { fill: var(--good); }
svg .loss { fill: var(--accent); }
svg .bar { fill: var(--bar); }
svg .median { stroke: var(--accent); stroke-width: 1.6; stroke-dasharray: 4 3; }
ul.notes { margin: 14px 0 0; padding: 0; list-style: none; color: var(--soft); font-size: 13px; }
ul.notes li { padding: 1px 0 1px 16px; text-indent: -16px; }
ul.notes li::before { content: "– "; display: inline-block; width: 16px; text-indent: 0; }
pre { background: #f6f3ec; border-radius: 6px; padding: 10px 14px; font-size: 12px; overflow-x: auto;
  margin: 6px 0 14px; }
footer { color: var(--soft); font-size: 13px; }
code { font-size: .92em; }
@media (max-width: 640px) { main { padding: 0 12px 40px; } section { padding: 18px 16px; } h1 { font-size: 29px; }
  .drawn svg { min-width: 560px; max-width: none; } table.matrix tbody th { white-space: normal; max-width: 104px;
  overflow-wrap: break-word; } }
@media print { @page { margin: 14mm; } body { background: #fff; font-size: 11px; } main { max-width: none; padding: 0; }
  header { padding: 12px 0; } section, .tile { border-color: #ccc; break-inside: avoid; padding: 12px 14px; }
  .scroll { overflow: visible; } h1 { font-size: 26px; } h2 { font-size: 16px; } .tile b { font-size: 18px; }
  table.plain td { padding: 3px 8px; } table.plain th { padding: 3px 8px; font-size: 10.5px; }
  table.matrix tbody td { min-width: 44px; height: 32px; font-size: 10.5px; } table.matrix th { font-size: 10px;
  padding: 3px 6px; } table.matrix small { font-size: 9px; } .tiles { grid-template-columns: repeat(6, 1fr); gap: 8px; }
  section { margin-bottom: 10px; } ul.notes, h3 { font-size: 10px; } .pair { gap: 14px 16px; }
  .pair > div { flex: 1 1 30%; } section.long { break-inside: auto; }
  .crash, tr { break-inside: avoid; } h2, h3, section > p, thead { break-after: avoid; }
  .stack > div + div { margin-top: 14px; } .stack > div { break-inside: avoid; } }
"""
