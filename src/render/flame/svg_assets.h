/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Script and style of the pictures: the files under web/, as they are, each ended by a NUL. */
#ifndef DWELL_RENDER_FLAME_SVG_ASSETS_H
#define DWELL_RENDER_FLAME_SVG_ASSETS_H

extern const char svg_asset_flame_js[];
extern const char svg_asset_flame_css[];

#endif
