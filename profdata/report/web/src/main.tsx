// main.tsx -- decodes the page's data and shows them.
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { render } from "preact";
import { App } from "./app.tsx";
import { decode } from "./data.ts";
import { profile_of } from "./profile.ts";

const place = document.getElementById("page") as HTMLElement;

decode(document.getElementById("data")?.textContent ?? "").then(
  (data) => {
    place.textContent = "";
    render(<App profile={profile_of(data)} />, place);
  },
  (error) => {
    place.className = "error";
    place.textContent = `This report cannot be shown: ${error.message ?? error}`;
  },
);
