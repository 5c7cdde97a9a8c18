/* swift_names_test.c -- Swift's names: what they stand for, and which stay.
 *
 * SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception */
#include "profdata/symbols/swift_names.h"
#include "profdata/symbols/swift_node.h"
#include "test/unit/cmocka_all.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct {
    const char *name;
    const char *text;
} known[] = {
    {"$sBf32_", "Builtin.FPIEEE32"},
    {"$sBi32_", "Builtin.Int32"},
    {"_$s3foo3barC3bas3zimyAaEC_tFTo", "@objc foo.bar.bas(zim: foo.zim) -> ()"},
    {"_$sSC3fooyS2d_SdtFTO",
     "@nonobjc __C_Synthesized.foo(Swift.Double, Swift.Double) -> Swift.Doubl"
     "e"},
    {"_$S3foo3barC3bas3zimyAaEC_tFTo", "@objc foo.bar.bas(zim: foo.zim) -> ()"},
    {"_$Ss17MutableCollectionP1asAARzs012RandomAccessB0RzsAA11SubSequences013"
     "BidirectionalB0PRpzsAdHRQlE06rotatecD015shiftingToStart5Indexs01_A9Inde"
     "xablePQzAN_tFAKs01_M4BasePQzAQcfU_",
     "closure #1 (A.Swift._IndexableBase.Index) -> A.Swift._IndexableBase.Ind"
     "ex in (extension in a):Swift.MutableCollection<A where A: Swift.Mutable"
     "Collection, A: Swift.RandomAccessCollection, A.Swift.BidirectionalColle"
     "ction.SubSequence: Swift.MutableCollection, A.Swift.BidirectionalCollec"
     "tion.SubSequence: Swift.RandomAccessCollection>.rotateRandomAccess(shif"
     "tingToStart: A.Swift._MutableIndexable.Index) -> A.Swift._MutableIndexa"
     "ble.Index"},
    {"_$Ss10DictionaryV3t17E6Index2V1loiySbAEyxq__G_AGtFZ",
     "static (extension in t17):Swift.Dictionary.Index2.< infix((extension in"
     " t17):[A : B].Index2, (extension in t17):[A : B].Index2) -> Swift.Bool"},
    {"_$S8mangling14varargsVsArray3arr1nySid_SStF",
     "mangling.varargsVsArray(arr: Swift.Int..., n: Swift.String) -> ()"},
    {"_$S8mangling14varargsVsArray3arr1nySaySiG_SStF",
     "mangling.varargsVsArray(arr: [Swift.Int], n: Swift.String) -> ()"},
    {"_$S8mangling14varargsVsArray3arrySaySiGd_tF",
     "mangling.varargsVsArray(arr: [Swift.Int]...) -> ()"},
    {"_$S10Foundation11MeasurementV12SimulatorKitSo9UnitAngleCRszlE11Orientat"
     "ionO2eeoiySbAcDEAGOyAF_G_AKtFZ",
     "static (extension in SimulatorKit):Foundation.Measurement<A where A == "
     "__C.UnitAngle>.Orientation.== infix((extension in SimulatorKit):Foundat"
     "ion.Measurement<__C.UnitAngle>.Orientation, (extension in SimulatorKit)"
     ":Foundation.Measurement<__C.UnitAngle>.Orientation) -> Swift.Bool"},
    {"_$S4test6testitySiyt_tF", "test.testit(()) -> Swift.Int"},
    {"_$S3abc6testityySiFTm", "merged abc.testit(Swift.Int) -> ()"},
    {"_$S4main4TestC1xACSi_tc6_PRIV_Llfc",
     "main.Test.(in _PRIV_).init(x: Swift.Int) -> main.Test"},
    {"$s4Test5ProtoP8IteratorV10collectionAEy_qd__Gqd___tcfc",
     "Test.Proto.Iterator.init(collection: A1) -> Test.Proto.Iterator<A1>"},
    {"$s4Test6testityyxlFAA8MystructV_TB5",
     "generic specialization <Test.Mystruct> of Test.testit<A>(A) -> ()"},
    {"$sSUss17FixedWidthIntegerRzrlEyxqd__cSzRd__lufCSu_SiTgm5",
     "generic specialization <Swift.UInt, Swift.Int> of (extension in Swift):"
     "Swift.UnsignedInteger< where A: Swift.FixedWidthInteger>.init<A where A"
     "1: Swift.BinaryInteger>(A1) -> A"},
    {"$s4test3StrCACycfC", "test.Str.__allocating_init() -> test.Str"},
    {"$s17property_wrappers10WithTuplesV9fractionsSd_S2dtvpfP",
     "property wrapper backing initializer of property_wrappers.WithTuples.fr"
     "actions : (Swift.Double, Swift.Double, Swift.Double)"},
    {"$sSo17OS_dispatch_queueC4sync7executeyyyXE_tFTOTA",
     "partial apply forwarder for @nonobjc __C.OS_dispatch_queue.sync(execute"
     ": () -> ()) -> ()"},
    {"$s4main1gyySiXCvp", "main.g : @convention(c) (Swift.Int) -> ()"},
    {"$s4main1gyySiXBvp", "main.g : @convention(block) (Swift.Int) -> ()"},
    {"$sx1td_t", "(t: A...)"},
    {"$s7example1fyyYaF", "example.f() async -> ()"},
    {"$s7example1fyyYaKF", "example.f() async throws -> ()"},
    {"$s4main20receiveInstantiationyySo34__CxxTemplateInst12MagicWrapperIiEVz"
     "F",
     "main.receiveInstantiation(inout __C.__CxxTemplateInst12MagicWrapperIiE)"
     " -> ()"},
    {"$s4main19returnInstantiationSo34__CxxTemplateInst12MagicWrapperIiEVyF",
     "main.returnInstantiation() -> __C.__CxxTemplateInst12MagicWrapperIiE"},
    {"$s5async1hyyS2iYbXEF",
     "async.h(@Sendable (Swift.Int) -> Swift.Int) -> ()"},
    {"$s5Actor02MyA0C17testAsyncFunctionyyYaKFTY0_",
     "(1) suspend resume partial function for Actor.MyActor.testAsyncFunction"
     "() async throws -> ()"},
    {"$s5Actor02MyA0C17testAsyncFunctionyyYaKFTQ1_",
     "(2) await resume partial function for Actor.MyActor.testAsyncFunction()"
     " async throws -> ()"},
    {"$sScA", "Swift.Actor"},
    {"$sScGySiG", "Swift.TaskGroup<Swift.Int>"},
    {"$s4test10returnsOptyxycSgxyScMYccSglF",
     "test.returnsOpt<A>((@Swift.MainActor () -> A)?) -> (() -> A)?"},
    {"$s1t10globalFuncyyAA7MyActorCYiF",
     "t.globalFunc(isolated t.MyActor) -> ()"},
    {"$s4test3FooVAAyyAA1P_pF", "test.Foo.test(test.P) -> ()"},
    {"$s12typed_throws15rethrowConcreteyyAA7MyErrorOYKF",
     "typed_throws.rethrowConcrete() throws(typed_throws.MyError) -> ()"},
    {"$s4main3fooyySiFyyXEfU_TA.1",
     "partial apply forwarder for closure #1 () -> () in main.foo(Swift.Int) "
     "-> () with unmangled suffix \".1\""},
    {"$S7TestMod5OuterV3Fooayx_SiG", "TestMod.Outer<A>.Foo<Swift.Int>"},
    {"$Ss17_VariantSetBufferO05CocoaC0ayx_G",
     "Swift._VariantSetBuffer<A>.CocoaBuffer"},
    {"$s4main5outeryyF5innerL_yyF", "inner #1 () -> () in main.outer() -> ()"},
    {"$s4main3FooV3barSivg", "main.Foo.bar.getter : Swift.Int"},
    {"$s4main3FooVyS2icig",
     "main.Foo.subscript.getter : (Swift.Int) -> Swift.Int"},
    {"$S3nix8MystructVyS2icig",
     "nix.Mystruct.subscript.getter : (Swift.Int) -> Swift.Int"},
    {"$s4main3Foo33_0123456789ABCDEF0123456789ABCDEFLLC3baryyF",
     "main.(Foo in _0123456789ABCDEF0123456789ABCDEF).bar() -> ()"},
    {"$s4main3FooCfD", "main.Foo.__deallocating_deinit"},
    {"$s4main3FooCMa", "type metadata accessor for main.Foo"},
    {"$s4main3foo_WZ", "one-time initialization function for foo"},
    {"$s6Foobar7Vector2VAASdRszlE10simdMatrix5scale6rotate9translateSo0C10_do"
     "uble3x3aACySdG_SdAJtFZ",
     "static (extension in Foobar):Foobar.Vector2<A where A == Swift.Double>."
     "simdMatrix(scale: Foobar.Vector2<Swift.Double>, rotate: Swift.Double, t"
     "ranslate: Foobar.Vector2<Swift.Double>) -> __C.simd_double3x3"},
    {"$s4main1fyyyXlF", "main.f(Swift.AnyObject) -> ()"},
    {"$s4main1fyyypF", "main.f(Any) -> ()"},
    {"$s4main1fyyypXpF", "main.f(Any.Type) -> ()"},
    {"$s4main1fyySimF", "main.f(Swift.Int.Type) -> ()"},
    {"$s4main1f_1ayypSg_SitF", "main.f(_: Any?, a: Swift.Int) -> ()"},
    {"$s4main5inneryySi_SitFTf4dg_n",
     "function signature specialization <Arg[0] = Dead, Arg[1] = Owned To Gua"
     "ranteed> of main.inner(Swift.Int, Swift.Int) -> ()"},
    {"$s13call_protocol1CCAA1PA2aDP3fooSiyFTW",
     "protocol witness for call_protocol.P.foo() -> Swift.Int in conformance "
     "call_protocol.C : call_protocol.P in call_protocol"},
    {"$sSo13GenericOptionaSHSCSH9hashValueSivgTW",
     "protocol witness for Swift.Hashable.hashValue.getter : Swift.Int in con"
     "formance __C.GenericOption : Swift.Hashable in __C_Synthesized"},
    {"$s4main3FooVACycfC", "main.Foo.init() -> main.Foo"},
    {"$s4main3fooyyF.llvm.123",
     "main.foo() -> () with unmangled suffix \".llvm.123\""},
    {"$s4main1f1xS2i_tFfA_",
     "default argument 0 of main.f(x: Swift.Int) -> Swift.Int"},
};

/* Cut short, with operators that ours does not know, or that no compiler
 * writes. */
static const char *const unknown[] = {
    "$S3nix8MystructV1xACyxGx_tcfc7MyaliasL_ayx__GD",
    "$sSD5IndexVy__GD",
    "$s3red4testyAA3ResOyxSayq_GAEs5ErrorAAq_sAFHD1__HCg_GADyxq_GsAFR_r0_lF",
    "$s__TJO",
    "$syQo",
    "$sxxxIxzCXxxxesy",
    "$S3BBBBf0602365061_",
    "$s0059xxxxxxxxxxxxxxx_ttttttttBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBBee",
    "$S28protocol_conformance_records15NativeValueTypeVAA8RuncibleAAMc",
    "$s13__lldb_expr_110$10016c2d8yXZ1B10$10016c2e0LLC",
    "$SyyySGSS_IIxxxxx____xsIyFSySIxx_@xIxx____xxI",
    "$s4main3FooV1xSiAA_",
    "$s28implicit_lifetime_dependence10BufferViewVyA2ChYlscfC",
    "$s4null19transferAsyncResultAA16NonSendableKlassCyYaYTF",
    "$s4main1fyyXlF",
    "$s4main5innerTf4d_n",
    "",
    "$s",
    "_$s",
    "$S",
    "main",
    "$sS",
    "$sSi_",
    "$s4mainF",
    "$s5main3fooyyF",
    "$sA",
    "$sAA",
    "$sA9999A",
    "$sS9999999999i",
    "$s4main3fooyyFTf4cn_n",
    "$s00",
    "$s3fooyyF",
    "$sSay",
    "$sSiSi",
    "$sG",
    "$syG",
};

static void spells_what_it_knows(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(known); i++) {
        char *const text = mpdata_swift_demangle(known[i].name);

        assert_true(mpdata_swift_is_mangled(known[i].name));
        if (text == NULL)
            print_error("%s\n", known[i].name);
        assert_non_null(text);
        assert_string_equal(text, known[i].text);
        free(text);
    }
}

static void leaves_the_rest(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(unknown); i++) {
        char *const text = mpdata_swift_demangle(unknown[i]);

        if (text != NULL)
            print_error("%s: %s\n", unknown[i], text);
        assert_null(text);
    }
}

/* Only what starts like Swift's names is taken for one. */
static void knows_the_prefixes(void **state)
{
    (void)state;
    assert_true(mpdata_swift_is_mangled("_T03foo3barC3basyAA3zimCAE_tF"));
    assert_true(mpdata_swift_is_mangled("@__swiftmacro_1a13testStringify"));
    assert_false(mpdata_swift_is_mangled("_Z3foov"));
    assert_false(mpdata_swift_is_mangled("$x"));
    assert_false(mpdata_swift_is_mangled("_"));
    assert_false(mpdata_swift_is_mangled(""));
}

/* A name of which each character doubles the text. */
static void ends_at_a_size(void **state)
{
    char name[SWIFT_NAME_BYTES + 8] = "$sSi";
    size_t at = 4;

    (void)state;
    for (char c = 'A'; c <= 'Z'; c++)
        at += (size_t)snprintf(name + at, sizeof(name) - at,
                               at == 4 ? "SiSitSg" : "A2%c_tSg",
                               c == 'A' ? 'A' : c - 1);
    free(mpdata_swift_demangle(name));
    memset(name, 'x', sizeof(name));
    memcpy(name, "$s", 2);
    name[sizeof(name) - 1] = '\0';
    assert_null(mpdata_swift_demangle(name));
    memset(name + 3, 'm', SWIFT_NAME_BYTES - 4);
    name[SWIFT_NAME_BYTES - 1] = '\0';
    assert_null(mpdata_swift_demangle(name));
}

/* Every part of a name stands alone or stays; sanitizers watch. */
static void survives_cutting(void **state)
{
    (void)state;
    for (size_t i = 0; i < MPROF_ARRAY_LEN(known); i++) {
        char *const name = strdup(known[i].name);

        assert_non_null(name);
        for (size_t size = strlen(name); size-- > 0;) {
            name[size] = '\0';
            free(mpdata_swift_demangle(name));
        }
        free(name);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(spells_what_it_knows),
        cmocka_unit_test(leaves_the_rest),
        cmocka_unit_test(knows_the_prefixes),
        cmocka_unit_test(ends_at_a_size),
        cmocka_unit_test(survives_cutting),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
