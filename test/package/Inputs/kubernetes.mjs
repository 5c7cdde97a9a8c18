// kubernetes.mjs -- does Kubernetes know the object of a manifest? Ends with an error that
// names what its schema refuses (that of the package kubernetes-models, made from
// Kubernetes' OpenAPI document), or members that the schema does not have.
//
// usage: node kubernetes.mjs NODE_MODULES MANIFEST
//
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
import { readFileSync } from "node:fs";
import { pathToFileURL } from "node:url";

const [modules, manifest] = process.argv.slice(2);
const load = async file => import(pathToFileURL(`${modules}/${file}`));

// The schema's functions read all members that they know.
const unread = new Set();
function watch(value, path) {
    if (value === null || typeof value !== "object")
        return value;
    const members = Array.isArray(value) ? [] : {};
    for (const key of Object.keys(value)) {
        members[key] = watch(value[key], `${path}/${key}`);
        unread.add(`${path}/${key}`);
    }
    return new Proxy(members, {
        get(target, key) {
            unread.delete(`${path}/${String(key)}`);
            return target[key];
        },
    });
}

const { parse } = (await load("yaml/dist/index.js")).default;
const object = parse(readFileSync(manifest, "utf8"));
const name = object.kind;
const { [name]: Kind } = await load(`kubernetes-models/${object.apiVersion}/${name}.js`);
Kind.prototype.validate.call(watch(object, ""));
if (unread.size !== 0)
    throw new Error(`unknown to Kubernetes: ${[...unread].join(" ")}`);
console.log(`${name}: valid`);
